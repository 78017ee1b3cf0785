"""Progress of running trainings, exchanged as lines in one file per training.

The lines are those that a training prints to a file, below a first line of facts. The file is removed when the training
is finished; from then on its model has a curve (learning_curves.py). Other processes may read it at any time.
"""

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.policy import LIMITS
from benchmarks.progress_bar import PlainLines, Report

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
