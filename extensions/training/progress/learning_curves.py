"""The learning curves of a model trained by this site, as stored by its training."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings

from benchmarks.policy import LIMITS

if TYPE_CHECKING:  # training code imports the file name from here and runs without the site's models
    from evaluation.models import Model

CURVE = "curve.json"  # the file in which a training stores its curve
LARGEST = LIMITS["training log"].most  # bytes
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
    return list(_read(named))


def _read(named: dict[str, Any]) -> Iterator[Curve]:
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
