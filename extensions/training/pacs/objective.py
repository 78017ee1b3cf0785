"""Training objective of the paper's models, for the site's training loop."""

import random
from collections.abc import Mapping, Sequence

import torch

from extensions.training.core.loop import TrainingSchedule, warmth
from extensions.training.pacs.examples import PairQuestion, StoredInputs, bundles_of
from extensions.training.pacs.network import PairNetwork
from extensions.training.pacs.recipes import PacsBaseline, PacsRecipe, name_of

TENTH = 0.1
OBJECTS_AT_ONCE = 64  # objects encoded together at inference


class PairObjective:
    """Questions about pairs; each head of the network learns from all of them."""

    def __init__(
        self,
        network: PairNetwork,
        baseline: PacsBaseline,
        recipe: PacsRecipe,
        seed: int,
        *,
        train: Sequence[PairQuestion],
        check: Sequence[PairQuestion],
        objects: Mapping[int, StoredInputs],
    ) -> None:
        self.network, self.recipe, self.seed = network, recipe, seed
        self.heads = [name_of(parts) for parts in baseline.heads]
        self.bundles, self.check, self.objects = bundles_of(train, recipe.bundle), check, objects
        # Each epoch drops its incomplete last batch, because a batch norm can't learn from a single question.
        self.steps_an_epoch = max(1, len(self.bundles) // recipe.batch)
        self.pace = TrainingSchedule(
            steps=recipe.epochs * self.steps_an_epoch,
            check_every=max(1, round(recipe.check_every * self.steps_an_epoch)) if check else 0,
            patience=recipe.patience,
        )

    def optimizers(self) -> list[torch.optim.Optimizer]:
        trained = [weight for weight in self.network.parameters() if weight.requires_grad]
        return [torch.optim.AdamW(trained, lr=self.recipe.rate, weight_decay=self.recipe.decay)]

    def rate(self, step: int) -> float:
        """A tenth after each of the recipe's drops; without drops a linear rise and half a cosine."""
        way = step / self.pace.steps
        if not self.recipe.drops:
            return warmth(way)
        return float(TENTH ** sum(way >= drop for drop in self.recipe.drops))

    def batch(self, step: int) -> tuple[list[PairQuestion], random.Random]:
        """The questions of this step and its random generator.

        Every epoch orders the bundles anew; each question's objects are swapped, with the label, with probability 0.5.
        """
        epoch, place = divmod(step, self.steps_an_epoch)
        order = list(range(len(self.bundles)))
        random.Random(f"{self.seed}:{epoch}:order").shuffle(order)  # noqa: S311
        chance = random.Random(f"{self.seed}:{step}:batch")  # noqa: S311
        chosen = order[place * self.recipe.batch : (place + 1) * self.recipe.batch]
        questions = [one for number in chosen for one in self.bundles[number]]
        return [turned(question) if chance.random() < 0.5 else question for question in questions], chance

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        """The sum over all heads, which share only the new backbones and otherwise learn independently."""
        questions, chance = self.batch(step)
        self.network.moved(device)
        numbers = numbers_of(questions)
        vectors = {
            part: self.network.vectors(
                part, torch.stack([one.altered(self.objects[number][part], chance) for number in numbers]).to(device)
            )
            for part, one in self.network.inputs.items()
        }
        labels = torch.tensor([float(one.label) for one in questions], device=device)
        first, second = places_of(questions, numbers, device)
        texts = [question.text for question in questions]
        losses = [
            self.network.loss(self.network.margins(head, vectors, texts, first, second), labels) for head in self.heads
        ]
        return torch.stack(losses).sum()

    def measure(self, device: torch.device) -> float:
        """Share of correct answers on the validation questions, over all heads."""
        right = self.right(self.check, device)
        return sum(sum(values) for values in right.values()) / sum(map(len, right.values()))

    @torch.no_grad()
    def right(self, questions: Sequence[PairQuestion], device: torch.device) -> dict[str, list[bool]]:
        """Whether each head answers each of these questions correctly; a tie is wrong."""
        self.network.moved(device)
        numbers = numbers_of(questions)
        vectors = {part: self._question_vectors(part, numbers, device) for part in self.network.inputs}
        first, second = places_of(questions, numbers, device)
        texts = [question.text for question in questions]
        found = {}
        for head in self.heads:
            margins = self.network.margins(head, vectors, texts, first, second).tolist()
            found[head] = [
                margin != 0 and (margin > 0) == bool(one.label) for margin, one in zip(margins, questions, strict=True)
            ]
        return found

    def _question_vectors(self, part: str, numbers: Sequence[int], device: torch.device) -> torch.Tensor:
        reader, found = self.network.inputs[part], []
        for start in range(0, len(numbers), OBJECTS_AT_ONCE):
            some = numbers[start : start + OBJECTS_AT_ONCE]
            inputs = torch.stack([reader.plain(self.objects[number][part]) for number in some])
            found.append(self.network.vectors(part, inputs.to(device)))
        return torch.cat(found)


def turned(one: PairQuestion) -> PairQuestion:
    return PairQuestion(one.second, one.first, one.text, 1 - one.label)


def numbers_of(questions: Sequence[PairQuestion]) -> list[int]:
    return sorted({number for question in questions for number in (question.first, question.second)})


def places_of(
    questions: Sequence[PairQuestion], numbers: Sequence[int], device: torch.device
) -> tuple[torch.Tensor, torch.Tensor]:
    """Indices of each question's first and second object among the numbers."""
    places = {number: place for place, number in enumerate(numbers)}
    return (
        torch.tensor([places[question.first] for question in questions], device=device),
        torch.tensor([places[one.second] for one in questions], device=device),
    )
