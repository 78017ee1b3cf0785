"""The clips that a baseline is trained on: generated like any others, with seeds that no pack uses."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from benchmarks.definitions.registry import find_benchmark
from benchmarks.generation.generate import generate
from evaluation.training.video_language.recipes import VideoLanguageBaseline, VideoLanguageRecipe
from scenes.scene import LOOK

MADE = "made.json"


def make_clips(
    baseline: VideoLanguageBaseline,
    recipe: VideoLanguageRecipe,
    folder: Path,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Make all training clips of this recipe in `folder`; finished ones are kept."""
    wanted = {
        "clips": dict(recipe.clips),
        "seed": baseline.clip_seed,
        "size": list(baseline.clip_size),
        "fps": baseline.clip_fps,
        "look": LOOK,
    }
    marker = folder / MADE
    if marker.is_file() and json.loads(marker.read_text()) == wanted:
        return folder
    for count, tests in tests_by_count(recipe).items():
        generate(
            find_benchmark(baseline.benchmark),
            folder,
            count=count,
            only=tests,
            seed=baseline.clip_seed,
            size=baseline.clip_size,
            fps=baseline.clip_fps,
            progress=progress,
        )
    marker.write_text(json.dumps(wanted))
    return folder


def tests_by_count(recipe: VideoLanguageRecipe) -> dict[int, list[str]]:
    """Tests by the number of clips wanted, so that tests with equal numbers are generated together."""
    tests = defaultdict(list)
    for test, count in recipe.clips.items():
        tests[count].append(test)
    return dict(tests)
