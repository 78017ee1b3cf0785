"""Training objective of the small video network: which test a clip shows, and whether the clip is plausible in it."""

import random
from collections.abc import Sequence

import torch
from torch.nn import functional

from extensions.training.core.loop import TrainingSchedule
from extensions.training.core.schedule import warmth
from extensions.training.plausibility.examples import PlausibilityExamples
from extensions.training.plausibility.network import VideoNet
from extensions.training.plausibility.recipes import PlausibilityRecipe


class PlausibilityObjective:
    """An objective for the loop: every epoch has each pair at most once, in an order drawn from seed and epoch."""

    measure = None  # trained to the end without checks on other clips

    def __init__(self, examples: PlausibilityExamples, recipe: PlausibilityRecipe, seed: int) -> None:
        self.examples, self.recipe, self.seed = examples, recipe, seed
        self.pace = TrainingSchedule(recipe.steps, largest_gradient=1.0)
        self.an_epoch = max(1, len(examples.tests) // recipe.batch)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = VideoNet(recipe)

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        return [torch.optim.AdamW(self.network.parameters(), lr=self.recipe.rate, weight_decay=self.recipe.decay)]

    def rate(self, step: int) -> float:
        return warmth(step / self.recipe.steps)

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        chosen, is_mirrored = self.batch(step)
        clips, tests = self.examples.clips[chosen].to(device), self.examples.tests[chosen].to(device)
        batch = clips.transpose(0, 1).flatten(0, 1)  # all plausible clips, then their implausible twins
        which, plausible = self.network(batch.flip(-1) if is_mirrored else batch)
        tests_of_both = tests.repeat(2)
        likely, unlikely = plausible.gather(1, tests_of_both[:, None])[:, 0].chunk(2)
        surprise = functional.softplus(-likely) + functional.softplus(unlikely) + functional.softplus(unlikely - likely)
        return surprise.mean() + functional.cross_entropy(which, tests_of_both)

    def batch(self, step: int) -> tuple[list[int], bool]:
        """Numbers of the pairs of this step, and whether they are mirrored (no test depends on left and right)."""
        epoch, place = divmod(step, self.an_epoch)
        pairs = len(self.examples.tests)
        order = random.Random(f"{self.seed}:{epoch}").sample(range(pairs), pairs)  # noqa: S311
        is_mirrored = random.Random(f"{self.seed}:{step}:mirror").random() < 0.5  # noqa: S311
        return order[place * self.recipe.batch : (place + 1) * self.recipe.batch], is_mirrored
