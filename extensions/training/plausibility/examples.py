"""Pairs of clips as small pictures: made by several processes, and cached for later trainings."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from extensions.training.core.trainer import Bar
from extensions.training.plausibility import worker
from extensions.training.plausibility.network import brought_to
from extensions.training.plausibility.recipes import SEED_OF_CLIPS, PlausibilityRecipe
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
