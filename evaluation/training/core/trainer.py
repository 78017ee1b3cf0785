"""An order of `train_baseline` and the protocol of trainers."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from django.conf import settings

from evaluation.models import Model
from evaluation.training.core.checkpoints import Trained, standing_at

Bar = Callable[[int, int], None]


@dataclass(frozen=True)
class TrainingOrder:
    """What the caller wants trained."""

    name: str
    benchmark: str
    seed: int = 0
    size: str = "small"
    pack: str = ""  # "": the benchmark's only one, for baselines that learn from a pack
    out: Path | None = None  # None: among the site's models
    again: bool = False
    backbones: Path | None = None  # a folder of pretrained weights


@dataclass(frozen=True)
class ProgressReporter:
    """Shows progress: a bar by its title (None if nobody watches) and lines of text."""

    bar: Callable[[str], Bar | None]
    note: Callable[[str], None]

    def steps(self, title: str) -> Callable[[int, int, float], None]:
        """A callback that shows a loop's progress as a bar."""
        bar = self.bar(title)
        return lambda done, total, loss: bar(done, total) if bar else None


class Trainer(Protocol):
    """Trains the baselines of one family."""

    def check(self, order: TrainingOrder) -> None:
        """Raise TrainingMisused for an impossible order, before anything is written."""
        ...

    def slug(self, order: TrainingOrder) -> str:
        """Slug of the model, and the name of its folder."""
        ...

    def key(self, order: TrainingOrder) -> str:
        """SHA-256 over everything that determines the weights."""
        ...

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained: ...

    def register(self, order: TrainingOrder, trained: Trained) -> Model: ...


def carried_out(trainer: Trainer, order: TrainingOrder, watch: ProgressReporter) -> tuple[Model, Trained]:
    """The registered model; trains it unless the same training exists at its place."""
    trainer.check(order)
    out = (order.out or Path(settings.VAR_DIR) / "models" / trainer.slug(order)).resolve()
    found = None if order.again else standing_at(out, trainer.key(order))
    if found:
        watch.note(f"{out}: this training stands already")
    trained = found or trainer.train(order, out, watch)
    return trainer.register(order, trained), trained
