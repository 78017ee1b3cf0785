"""An order of `train_baseline`, and the protocol of trainers."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from django.conf import settings

from benchmarks.progress_bar import Bar, PlainLines
from evaluation.models import Model
from extensions.training.core.checkpoints import (
    Facts,
    Trained,
    TrainingMisused,
    key_of,
    learnt,
    standing_at,
    trained_at,
)
from extensions.training.progress import ProgressLines, progress_lines

Recipe = TypeVar("Recipe")


@dataclass(frozen=True)
class TrainingOrder:
    """The training that the caller wants."""

    name: str
    benchmark: str
    seed: int = 0
    size: str = "small"
    pack: str = ""  # "": the benchmark's only one, for baselines that learn from a pack
    out: Path | None = None  # None: among the site's models
    again: bool = False
    backbones: Path | None = None  # a folder of pretrained weights

    @property
    def suffix(self) -> str:
        """The suffix of the slug for another seed; seed 0 has none."""
        return f"-seed-{self.seed}" if self.seed else ""

    @property
    def sized_suffix(self) -> str:
        """The suffix of the slug for another size than small, and for another seed."""
        return ("" if self.size == "small" else f"-{self.size}") + self.suffix


def recipe_of(name: str, sizes: Mapping[str, Recipe], size: str) -> Recipe:
    """The baseline's recipe in this size; raises TrainingMisused for a size that does not exist."""
    if size not in sizes:
        raise TrainingMisused(f"{name} has no size {size!r}; there are {', '.join(sizes)}")
    return sizes[size]


@dataclass(frozen=True)
class ProgressReporter:
    """Shows progress: a bar by its title (None if the output is no terminal) and lines of text."""

    bar: Callable[[str], Bar | None]
    note: Callable[[str], None]
    steps_bar: Callable[[str], Bar | None] = lambda title: None

    def steps(self, title: str) -> Callable[[int, int, float], None]:
        """A callback that shows a loop's steps, loss, seconds and remaining time: as a bar, or as plain lines."""
        bar = self.steps_bar(title) or PlainLines(title, self.note)
        return lambda done, total, loss: bar(done, total, f"loss {loss:.4f}")

    def beside(self, lines: ProgressLines) -> "ProgressReporter":
        """A reporter that also writes the lines for the site's page."""
        return ProgressReporter(
            bar=lambda title: both(lines.part(title), self.bar(title)),
            note=self.note,
            steps_bar=lambda title: both(lines.part(title), self.steps_bar(title) or PlainLines(title, self.note)),
        )


def both(first: Bar, second: Bar | None) -> Bar:
    """A bar that shows each step on both."""

    def show(done: int, total: int, detail: str = "") -> None:
        first(done, total, detail)
        if second:
            second(done, total, detail)

    return show


class Trainer(Protocol):
    """Trains the baselines of one family, on clips that it makes itself or on a pack."""

    makes_clips: bool

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


class OwnExamplesTrainer(Generic[Recipe]):
    """Base of trainers of small networks, whose examples are made for the training."""

    makes_clips = True
    examples: ClassVar[str] = "clips"
    sizes: Mapping[str, Recipe]
    source: ClassVar[Facts]  # what else determines the weights

    def prepared(self, order: TrainingOrder, watch: ProgressReporter) -> tuple[Any, Callable[[Any, Path], None], Facts]:
        """Make the examples: the objective, the function that saves its network, and facts of the examples."""
        raise NotImplementedError

    def key(self, order: TrainingOrder) -> str:
        facts = {"recipe": asdict(self.recipe(order)), "seed": order.seed}  # type: ignore[call-overload]
        return key_of(facts | self.source)

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        """Make the examples, train, and put the weights at `out` in one move."""
        import torch

        from evaluation.adapters import THREADS

        torch.set_num_threads(THREADS)
        objective, save, facts = self.prepared(order, watch)
        facts |= {"name": order.name, "size": order.size, "seed": order.seed, "key": self.key(order)}
        return learnt(
            objective,
            out,
            write=lambda folder: save(objective.network, folder),
            facts=facts | {"recipe": asdict(self.recipe(order))},  # type: ignore[call-overload]
            progress=watch.steps("Training"),
        )

    def recipe(self, order: TrainingOrder) -> Recipe:
        return recipe_of(order.name, self.sizes, order.size)

    def check(self, order: TrainingOrder) -> None:
        self.recipe(order)
        if order.pack:
            raise TrainingMisused(f"{order.name} makes its own {self.examples}: leave --pack out")


def carried_out(trainer: Trainer, order: TrainingOrder, watch: ProgressReporter) -> tuple[Model, Trained]:
    """The registered model; trains it unless the same training exists at its place."""
    trainer.check(order)
    out = (order.out or Path(settings.VAR_DIR) / "models" / trainer.slug(order)).resolve()
    _refuse_another_seed(out, order.seed)
    found = None if order.again else standing_at(out, trainer.key(order))
    if found:
        watch.note(f"{out}: this training exists already")
    else:
        watch.note(f"{out}: its curves while it learns: /trainings/, or tensorboard --logdir {out.parent}")
    trained = found or _trained(trainer, order, out, watch)
    return trainer.register(order, trained), trained


def _trained(trainer: Trainer, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
    """Train, and write the progress lines for the site's page."""
    names = {name: getattr(order, name) for name in ("name", "benchmark", "pack", "seed", "size")}
    with progress_lines(trainer.slug(order), names | {"makes_clips": trainer.makes_clips}) as lines:
        return trainer.train(order, out, watch.beside(lines))


def _refuse_another_seed(out: Path, seed: int) -> None:
    """Refuse a folder with another seed, since the model registered with it would get other weights."""
    try:
        there = trained_at(out).facts.get("seed", seed)
    except (OSError, ValueError):
        return
    if there != seed and not out.is_relative_to(Path(settings.VAR_DIR).resolve() / "models"):
        raise TrainingMisused(f"{out}: a training with seed {there} exists: give another folder to --weights")
