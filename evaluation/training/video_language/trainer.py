"""Trains the small video-language model on clips made for it."""

from pathlib import Path

from django.conf import settings

from evaluation.models import Model
from evaluation.training.core.checkpoints import Trained, TrainingMisused
from evaluation.training.core.trainer import ProgressReporter, TrainingOrder
from evaluation.training.video_language.clips import make_clips
from evaluation.training.video_language.register import register
from evaluation.training.video_language.train import find_baseline, key_of, train


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
