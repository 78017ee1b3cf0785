"""One order of `train_baseline`: what is wanted, and who trains it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from django.conf import settings

from evaluation.models import Model
from evaluation.training.folders import Trained, standing_at

Bar = Callable[[int, int], None]


@dataclass(frozen=True)
class Order:
    """What the caller wants trained."""

    name: str
    benchmark: str
    seed: int = 0
    size: str = "small"
    pack: str = ""  # "": the benchmark's only one, for baselines that learn from a pack
    out: Path | None = None  # "None": among the site's models
    again: bool = False
    backbones: Path | None = None  # a folder of pretrained weights


@dataclass(frozen=True)
class Watch:
    """Who looks on: a progress bar by its title (None where nobody looks), and lines of text."""

    bar: Callable[[str], Bar | None]
    note: Callable[[str], None]

    def steps(self, title: str) -> Callable[[int, int, float], None]:
        """A loop's progress as a bar."""
        bar = self.bar(title)
        return lambda done, total, loss: bar(done, total) if bar else None


class Trainer(Protocol):
    """Trains the baselines of one family."""

    def check(self, order: Order) -> None:
        """Raises TrainingMisused for what can't be; nothing is made yet."""
        ...

    def slug(self, order: Order) -> str:
        """Of the model, and the name of its folder."""
        ...

    def key(self, order: Order) -> str:
        """SHA-256 over everything that the weights hang on."""
        ...

    def train(self, order: Order, out: Path, watch: Watch) -> Trained: ...

    def register(self, order: Order, trained: Trained) -> Model: ...


def carried_out(trainer: Trainer, order: Order, watch: Watch) -> tuple[Model, Trained]:
    """The model, trained unless the same training stands at its place."""
    trainer.check(order)
    out = (order.out or Path(settings.VAR_DIR) / "models" / trainer.slug(order)).resolve()
    found = None if order.again else standing_at(out, trainer.key(order))
    if found:
        watch.note(f"{out}: this training stands already")
    trained = found or trainer.train(order, out, watch)
    return trainer.register(order, trained), trained
