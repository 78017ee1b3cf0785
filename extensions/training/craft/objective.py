"""Training objective of CRAFT's baselines: the answers of a setting's training questions."""

import random
from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import nn
from torch.nn import functional

from extensions.training.core.loop import TrainingSchedule
from extensions.training.craft.examples import TRAIN, VALIDATION, CraftExamples, VideoQuestion
from extensions.training.craft.recipes import CraftRecipe
from extensions.training.craft.vocabulary import Vocabulary

VIDEOS_A_LOOK = 16  # videos whose questions are answered together at evaluation


class Answering:
    """An objective for the loop: every epoch has each training question once, in an order drawn from seed and epoch."""

    def __init__(
        self, network: nn.Module, vocabulary: Vocabulary, examples: CraftExamples, *, recipe: CraftRecipe, seed: int
    ) -> None:
        self.network, self.vocabulary, self.examples = network, vocabulary, examples
        self.recipe, self.seed = recipe, seed
        train = examples.parts[TRAIN]
        self.units = _by_video(train) if recipe.by_video else [[one] for one in train]
        self.an_epoch = -(-len(self.units) // recipe.batch)
        self.pace = TrainingSchedule(
            recipe.epochs * self.an_epoch, self.an_epoch, recipe.patience, recipe.largest_gradient
        )
        self.places = {answer: number for number, answer in enumerate(vocabulary.answers)}

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        return [torch.optim.Adam(self.network.parameters(), lr=self.recipe.rate)]

    def rate(self, step: int) -> float:
        return 1.0

    def batch(self, step: int) -> list[VideoQuestion]:
        epoch, place = divmod(step, self.an_epoch)
        order = random.Random(f"{self.seed}:{epoch}").sample(range(len(self.units)), len(self.units))  # noqa: S311
        chosen = order[place * self.recipe.batch : (place + 1) * self.recipe.batch]
        return [question for unit in chosen for question in self.units[unit]]

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        questions = self.batch(step)
        answers = torch.tensor([self.places[question.answer] for question in questions], device=device)
        logits = self.network(self.examples.batch(questions, self.vocabulary).to(device))
        return functional.cross_entropy(logits.float(), answers)

    def measure(self, device: torch.device) -> float:
        """Accuracy on the validation questions."""
        questions = self.examples.parts[VALIDATION]
        answers = self.answers(questions, device)
        return sum(answers[question.key] == question.answer for question in questions) / len(questions)

    def answers(
        self, questions: Sequence[VideoQuestion], device: torch.device, swapped: Mapping[int, int] | None = None
    ) -> dict[str, str]:
        """The answer to each question; `shown` maps videos to those shown in their place."""
        found = {}
        for batch in _looks(questions):
            prepared = self.examples.batch(batch, self.vocabulary, dict(swapped) if swapped else None)
            for one, place in zip(batch, self.network(prepared.to(device)).argmax(1).tolist(), strict=True):
                found[one.key] = self.vocabulary.answers[place]
        return found


def _by_video(questions: Sequence[VideoQuestion]) -> list[list[VideoQuestion]]:
    found: dict[int, list[VideoQuestion]] = {}
    for question in questions:
        found.setdefault(question.video, []).append(question)
    return list(found.values())


def _looks(questions: Sequence[VideoQuestion]) -> Iterator[list[VideoQuestion]]:
    units = _by_video(questions)
    for first in range(0, len(units), VIDEOS_A_LOOK):
        yield [one for unit in units[first : first + VIDEOS_A_LOOK] for one in unit]
