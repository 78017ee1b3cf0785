"""Trains the small video-language model, which learns from clips that are made for it."""

from pathlib import Path

from django.conf import settings

from evaluation.models import Model
from evaluation.training.folders import Trained, TrainingMisused
from evaluation.training.learning import find_baseline, key_of, train
from evaluation.training.material import make_clips
from evaluation.training.ordering import Order, Watch
from evaluation.training.registering import register


class SeeingTrainer:
    """`train_baseline grasp-small`."""

    def check(self, order: Order) -> None:
        find_baseline(order.name, order.size)
        if order.pack:
            raise TrainingMisused(f"{order.name} makes its own clips: leave --pack out")

    def slug(self, order: Order) -> str:
        return find_baseline(order.name)[0].slug

    def key(self, order: Order) -> str:
        return key_of(order.name, order.size, order.seed)

    def train(self, order: Order, out: Path, watch: Watch) -> Trained:
        folder = Path(settings.VAR_DIR) / "training" / f"{order.name}-{order.size}"
        clips = make_clips(*find_baseline(order.name, order.size), folder, watch.bar("Clips"))
        progress = watch.steps("Training")
        return train(order.name, seed=order.seed, size=order.size, clips=clips, out=out, progress=progress)

    def register(self, order: Order, trained: Trained) -> Model:
        return register(order.name, trained)
