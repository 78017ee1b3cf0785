"""Progress of running trainings, exchanged as lines in one file per training, and curves of finished ones.

The lines are those that a training prints to a file, below a first line of facts. The file is removed when the training
is finished; from then on its model has a curve (`curves_of`). Other processes may read it at any time.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from benchmarks.policy import LIMITS
from benchmarks.progress_bar import PlainLines, Report

if TYPE_CHECKING:  # training code imports the file name from here and runs without the site's models
    from evaluation.models import Model

FOLDER, SUFFIX = "trainings", ".lines"
LARGEST = LIMITS["training log"].most  # the most bytes read of a file
QUIET = 120  # seconds without a line after which a training may have stopped
STOPPED = "Stopped: "
LINE = re.compile(
    r"(?P<part>.+): (?P<done>\d+) of (?P<total>\d+)(?:, loss (?P<loss>-?[\d.]+))?"
    r", (?P<seconds>\d+) s, about (?P<left>\d+) s left"
)
NUMBERS = ("done", "total", "seconds", "left")


@dataclass
class TrainingPart:
    """A part of a training, such as the making of clips.

    `done` of `total` steps are done; `seconds` were spent in this process and `left` remain; `losses` by step.
    """

    title: str
    done: int = 0
    total: int = 0
    seconds: int = 0
    left: int = 0
    losses: list[tuple[int, float]] = field(default_factory=list)

    def take(self, line: re.Match[str]) -> None:
        """Read the next line; a resumed training repeats the steps since its checkpoint."""
        self.done, self.total, self.seconds, self.left = (int(line[name]) for name in NUMBERS)
        while self.losses and self.losses[-1][0] >= self.done:
            self.losses.pop()
        if line["loss"]:
            self.losses.append((self.done, float(line["loss"])))


@dataclass(frozen=True)
class OngoingTraining:
    """An unfinished training: its model's slug, its order, its parts, and why it stopped ("" if it did not)."""

    slug: str
    order: Mapping[str, Any]
    parts: tuple[TrainingPart, ...]
    stopped: str
    silent_seconds: float

    @property
    def is_silent(self) -> bool:
        return self.silent_seconds > QUIET

    @property
    def silent_minutes(self) -> int:
        return round(self.silent_seconds / 60)

    @property
    def is_public(self) -> bool:
        """Whether it learns from clips that it makes itself, and not from a pack."""
        return not self.order.get("pack") and self.order.get("makes_clips", False)

    @property
    def now(self) -> TrainingPart | None:
        return self.parts[-1] if self.parts else None


def folder() -> Path:
    return Path(settings.VAR_DIR) / FOLDER


@contextmanager
def progress_lines(slug: str, order: Mapping[str, Any]) -> Iterator["ProgressLines"]:
    """The lines of one training; an error is the last line, and a finished training removes the file."""
    folder().mkdir(parents=True, exist_ok=True)
    place = folder() / f"{slug}{SUFFIX}"
    with place.open("a", encoding="utf-8", buffering=1) as file:
        file.write(f"{json.dumps(order)}\n")
        try:
            yield ProgressLines(lambda line: file.write(f"{line}\n"))
        except Exception as error:
            file.write(f"{STOPPED}{' '.join(str(error).split())[:300]}\n")
            raise
    place.unlink(missing_ok=True)


@dataclass(frozen=True)
class ProgressLines:
    """Writes the lines of a training, part by part."""

    write: Report

    def part(self, title: str) -> PlainLines:
        """A reporter for the steps of this part: one line per second, fewer as it takes longer."""
        return PlainLines(title, self.write, pause=lambda spent: max(1.0, spent / 300))


def ongoing() -> list[OngoingTraining]:
    """The unfinished trainings, most recently updated first; unreadable files are left out."""
    files = sorted(folder().glob(f"*{SUFFIX}"), key=_written, reverse=True)
    return [one for path in files if (one := _read(path))]


def names_of_ongoing() -> str:
    """The file names of unfinished trainings, which change when a training begins or ends."""
    return " ".join(sorted(path.name for path in folder().glob(f"*{SUFFIX}")))


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # finished just now
        return 0.0


def _read(path: Path) -> OngoingTraining | None:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            lines = file.read(LARGEST).splitlines()
        silent = max(0.0, time.time() - path.stat().st_mtime)
        order = json.loads(lines[0])
        order.get("pack")
    except (OSError, ValueError, IndexError, AttributeError):
        return None
    parts: dict[str, TrainingPart] = {}
    stopped = ""
    for line in lines[1:]:
        stopped = line.removeprefix(STOPPED) if line.startswith(STOPPED) else ""
        if found := LINE.fullmatch(line):
            part = parts.pop(found["part"], None) or TrainingPart(found["part"])
            parts[part.title] = part  # the most recently updated part is last
            part.take(found)
    return OngoingTraining(path.name.removesuffix(SUFFIX), order, tuple(parts.values()), stopped, silent)


CURVE = "curve.json"  # the file in which a training stores its curve
ROWS = 12  # of the table, evenly spaced


@dataclass(frozen=True)
class Curve:
    """The curve of one training: its loss and its validation checks."""

    title: str
    measured: str
    loss: tuple[tuple[int, float], ...]
    checks: tuple[tuple[int, float], ...]

    @property
    def steps(self) -> int:
        return max(step for step, _ in (*self.loss, *self.checks))

    @property
    def rows(self) -> list[tuple[int, float, float | None]]:
        """Up to ROWS evenly spaced steps with their loss and the latest check so far."""
        chosen = self.loss[:: -(-len(self.loss) // ROWS)]
        chosen = chosen if self.loss[-1] in chosen else (*chosen, self.loss[-1])
        return [(step, loss, self._check_at(step)) for step, loss in chosen]

    def _check_at(self, step: int) -> float | None:
        before = [value for at, value in self.checks if at <= step]
        return before[-1] if before else None


def curves_of(model: "Model") -> list[Curve]:
    """The curves named on the model's card; a missing or invalid file is skipped."""
    named = dict(model.card.get("curves", {}))
    if path := model.card.get("curve"):
        named[""] = path
    return list(_curves_in(named))


def _curves_in(named: dict[str, Any]) -> Iterator[Curve]:
    for title, path in named.items():
        try:
            record = json.loads(_curve_text(str(path)))
            loss, checks = _pairs(record["curve"], "loss"), _pairs(record.get("checks", ()), "measure")
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if loss:
            yield Curve(title, str(record.get("measured", "")), loss, checks)


def _curve_text(path: str) -> str:
    """The text of a training's curve file; no other file is read, since cards can be edited in a browser."""
    place = Path(settings.VAR_DIR) / path
    if place.name != CURVE or not place.is_file() or place.stat().st_size > LARGEST:
        raise ValueError(f"{path}: no curve of a training")
    return place.read_text(encoding="utf-8")


def _pairs(rows: Sequence[Any], name: str) -> tuple[tuple[int, float], ...]:
    return tuple((int(row["step"]), float(row[name])) for row in rows)
