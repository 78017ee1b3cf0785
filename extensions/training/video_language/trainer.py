"""Trains the small video-language model on clips made for it."""

import json
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from benchmarks.definitions.registry import find_benchmark
from benchmarks.generation.generate import generate
from evaluation.models import Model
from extensions.training.core.checkpoints import Trained, TrainingMisused
from extensions.training.core.trainer import ProgressReporter, TrainingOrder
from extensions.training.video_language.recipes import VideoLanguageBaseline, VideoLanguageRecipe
from extensions.training.video_language.register import register
from extensions.training.video_language.train import find_baseline, key_of, train
from scenes.scene import LOOK

MADE = "made.json"


class SeeingTrainer:
    """`train_baseline grasp-small`."""

    makes_clips = True

    def check(self, order: TrainingOrder) -> None:
        find_baseline(order.name, order.size)
        if order.pack:
            raise TrainingMisused(f"{order.name} makes its own clips: leave --pack out")

    def slug(self, order: TrainingOrder) -> str:
        return find_baseline(order.name)[0].slug + order.suffix

    def key(self, order: TrainingOrder) -> str:
        return key_of(order.name, order.size, order.seed)

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        folder = Path(settings.VAR_DIR) / "training" / f"{order.name}-{order.size}"
        clips = make_clips(*find_baseline(order.name, order.size), folder, watch.bar("Clips"))
        progress = watch.steps("Training")
        return train(order.name, seed=order.seed, size=order.size, clips=clips, out=out, progress=progress)

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        return register(order.name, trained, self.slug(order))


def make_clips(
    baseline: VideoLanguageBaseline,
    recipe: VideoLanguageRecipe,
    folder: Path,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Make all training clips of this recipe in `folder`; existing clips are kept."""
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
