"""What the small video network learns: pairs of clips, which test each shows, and whether it is plausible there."""

import os
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from extensions.training.core.loop import SmallObjective
from extensions.training.core.trainer import Bar
from extensions.training.plausibility import worker
from extensions.training.plausibility.network import VideoNet, brought_to
from extensions.training.plausibility.trainer import SEED_OF_CLIPS, PlausibilityRecipe
from scenes.whole_files import whole

AT_ONCE = 8  # pairs of a test in one task of a process


@dataclass(frozen=True, eq=False)
class PlausibilityExamples:
    """Pairs of clips that differ only in plausibility, the plausible one first, test by test."""

    clips: torch.Tensor  # uint8 [tests * pairs, 2, frames, 3, height, width]
    tests: torch.Tensor  # int64 [tests * pairs], places in the recipe


def examples_of(recipe: PlausibilityRecipe, path: Path, bar: Bar | None = None) -> PlausibilityExamples:
    """The recipe's examples, read from the file at `path` or made and written to it."""
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as temporary, temporary.open("wb") as file:
            np.save(file, _random_frames(recipe, bar), allow_pickle=False)
    clips = torch.from_numpy(np.load(path, allow_pickle=False))
    return PlausibilityExamples(clips, torch.arange(len(recipe.tests)).repeat_interleave(recipe.pairs))


def _random_frames(recipe: PlausibilityRecipe, bar: Bar | None) -> NDArray[np.uint8]:
    wanted = [(test, SEED_OF_CLIPS, index, recipe.frames) for test in recipe.tests for index in range(recipe.pairs)]
    found = []
    with _processes() as pool:
        for pair in pool.map(worker.pair_of, *zip(*wanted, strict=True), chunksize=AT_ONCE):
            found.append(np.stack([brought_to(recipe, torch.from_numpy(clip)).numpy() for clip in pair]))
            if bar:
                bar(2 * len(found), recipe.clips)
    return np.stack(found)


@contextmanager
def _processes() -> Iterator[ProcessPoolExecutor]:
    """Spawned processes, because neither threads nor forks are safe for the state of OpenGL and the physics engine."""
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), initializer=worker.start) as pool:
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class PlausibilityObjective(SmallObjective):
    """An objective for the loop: every epoch has each pair at most once, in an order drawn from seed and epoch."""

    def __init__(self, examples: PlausibilityExamples, recipe: PlausibilityRecipe, seed: int) -> None:
        super().__init__(lambda: VideoNet(recipe), recipe, seed, decay=recipe.decay)
        self.examples, self.an_epoch = examples, max(1, len(examples.tests) // recipe.batch)

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
