"""Breaks between the questions of a sheet: their places, their length, and how much of them counts as work."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from humantrials.judging.attention_checks import SheetQuestion
from humantrials.models import Trial
from humantrials.protocols import find_protocol

USUAL_MOST = 300  # seconds


@dataclass(frozen=True)
class BreakLimits:
    """The least seconds of a break, and the most of its seconds that count as work."""

    least: int = 0
    most: int = USUAL_MOST


def limits_of(settings: Mapping[str, Any]) -> BreakLimits:
    """The author's limits, else the usual ones."""
    text = settings.get("break_seconds")
    return BreakLimits(*map(int, text.split(" to "))) if text else BreakLimits()


def blocks_of(trial: Trial, questions: Sequence[SheetQuestion]) -> list[list[SheetQuestion]]:
    """The sheet's questions in order, split at breaks: where the condition changes, and after a set number."""
    has_breaks = find_protocol(trial.protocol).design.has_breaks
    alike = (
        [list(block) for _, block in itertools.groupby(questions, key=attrgetter("condition"))] if has_breaks else []
    )
    every = trial.settings.get("break_every") or max(1, len(questions))
    return [part for block in alike or [list(questions)] for part in _parts(block, every)]


def _parts(block: list[SheetQuestion], every: int) -> Iterator[list[SheetQuestion]]:
    """Yield parts of `every` questions; a single last question joins the part before it."""
    ends = [*range(every, len(block) - 1, every), len(block)]
    for begin, end in itertools.pairwise([0, *ends]):
        yield block[begin:end]


def minutes_of_work(
    begun: datetime | None, ended: datetime | None, checks: Mapping[str, Any], settings: Mapping[str, Any]
) -> float | None:
    """Minutes from the consent to the end, each break counted up to its limit; None before the end."""
    if begun is None or ended is None:
        return None
    most = limits_of(settings).most
    beyond = sum(max(0.0, seconds - most) for seconds in checks.get("breaks", ()))
    return max(0.0, (ended - begun).total_seconds() - beyond) / 60
