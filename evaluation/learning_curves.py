"""The curve of a training as it stands on the model's page: drawn here, with a table of its numbers."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.models import Model

WIDTH, HEIGHT = 640, 200  # units of the drawing, without its margins
ROWS = 12  # of the table, evenly spaced

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """One training: the loss, and what its checks found."""

    title: str
    measured: str
    loss: tuple[tuple[int, float], ...]
    checks: tuple[tuple[int, float], ...]

    @property
    def steps(self) -> int:
        return max(step for step, _ in (*self.loss, *self.checks))

    @property
    def highest(self) -> float:
        """Of the losses, which the upper edge stands for."""
        return max(value for _, value in self.loss) or 1.0

    @property
    def loss_line(self) -> str:
        return _line([self._at(step, value / self.highest) for step, value in self.loss])

    @property
    def check_line(self) -> str:
        return _line(self.check_points)

    @property
    def check_points(self) -> list[Point]:
        """Checks are shares: the lower edge is 0, the upper one 1."""
        return [self._at(step, value) for step, value in self.checks]

    @property
    def rows(self) -> list[tuple[int, float, float | None]]:
        """Some steps with their loss, and the check at the latest step before, where there was one."""
        chosen = self.loss[:: -(-len(self.loss) // ROWS)]
        chosen = chosen if self.loss[-1] in chosen else (*chosen, self.loss[-1])
        return [(step, loss, self._check_at(step)) for step, loss in chosen]

    def _check_at(self, step: int) -> float | None:
        before = [value for at, value in self.checks if at <= step]
        return before[-1] if before else None

    def _at(self, step: int, share: float) -> Point:
        return round(WIDTH * step / self.steps, 1), round(HEIGHT * (1 - min(1.0, max(0.0, share))), 1)


def curves_of(model: Model) -> list[Curve]:
    """The curves that the model's card names; one whose file is gone or no curve is left out."""
    named = dict(model.card.get("curves", {}))
    if path := model.card.get("curve"):
        named[""] = path
    return list(_read(named))


def _read(named: dict[str, Any]) -> Iterator[Curve]:
    for title, path in named.items():
        try:
            told = json.loads((Path(settings.VAR_DIR) / str(path)).read_text(encoding="utf-8"))
            loss, checks = _pairs(told["curve"], "loss"), _pairs(told.get("checks", ()), "measure")
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if loss:
            yield Curve(title, str(told.get("measured", "")), loss, checks)


def _pairs(rows: Sequence[Any], name: str) -> tuple[tuple[int, float], ...]:
    return tuple((int(row["step"]), float(row[name])) for row in rows)


def _line(points: Sequence[Point]) -> str:
    return " ".join(f"{x},{y}" for x, y in points)
