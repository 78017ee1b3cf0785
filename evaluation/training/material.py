"""The clips that a baseline learns from: made like any other, with seeds that no pack uses."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from benchmarks.generating import generate
from benchmarks.registry import find_benchmark
from evaluation.training.recipes import Baseline, Recipe

MADE = "made.json"


def make_clips(
    baseline: Baseline, recipe: Recipe, folder: Path, progress: Callable[[int, int], None] | None = None
) -> Path:
    """Make all training clips of this recipe in `folder`; finished ones are kept."""
    wanted = {
        "clips": dict(recipe.clips), "seed": baseline.clip_seed,
        "size": list(baseline.clip_size), "fps": baseline.clip_fps,
    }  # fmt: skip
    marker = folder / MADE
    if marker.is_file() and json.loads(marker.read_text()) == wanted:
        return folder
    for count, tests in tests_by_count(recipe).items():
        generate(
            find_benchmark(baseline.benchmark), folder, count=count, only=tests, seed=baseline.clip_seed,
            size=baseline.clip_size, fps=baseline.clip_fps, progress=progress,
        )  # fmt: skip
    marker.write_text(json.dumps(wanted))
    return folder


def tests_by_count(recipe: Recipe) -> dict[int, list[str]]:
    """Tests of which equally many clips are wanted are made in one go."""
    tests = defaultdict(list)
    for test, count in recipe.clips.items():
        tests[count].append(test)
    return dict(tests)
