"""Surprise of a prediction model as an answer: one number per window of a clip, the error of its prediction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np


class NotSurprises(ValueError):
    """These are no surprises of a clip; the message says why."""


@dataclass(frozen=True)
class ClipSurprise:
    """The mean and the largest surprise of one clip."""

    mean: float
    most: float


def checked_surprises(values: object) -> list[float]:
    """The numbers, one per window; raises NotSurprises."""
    if not isinstance(values, list | tuple) or not values:
        raise NotSurprises("`surprise` must be a list of numbers, one a window")
    for place, value in enumerate(values):
        if not _is_number(value):
            raise NotSurprises(f"surprise {place + 1} is {str(value)[:40]!r}, not a finite number")
    return [float(value) for value in values]


def checked_times(values: object, windows: int) -> list[float]:
    """The times of the windows in seconds, ascending; raises NotSurprises."""
    if not isinstance(values, list | tuple) or len(values) != windows:
        raise NotSurprises(f"`times` must be a list of {windows} seconds, one a window")
    for place, value in enumerate(values):
        if not _is_number(value) or value < 0:
            raise NotSurprises(f"time {place + 1} is {str(value)[:40]!r}, not a number of seconds")
    times = [float(value) for value in values]
    if sorted(times) != times:
        raise NotSurprises("`times` must ascend")
    return times


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))


def of_clip(surprises: Sequence[float]) -> ClipSurprise:
    return ClipSurprise(float(np.mean(surprises)), float(np.max(surprises)))


def paired(
    clips: Mapping[str, ClipSurprise], twin_of: Mapping[str, str], possible: Mapping[str, bool]
) -> list[tuple[ClipSurprise, ClipSurprise]]:
    """(possible, impossible) for each pair with surprises of both clips, in the order of their keys."""
    return [
        (clips[key], clips[twin_of[key]])
        for key in sorted(clips)
        if possible.get(key) and twin_of.get(key) in clips and possible.get(twin_of[key]) is False
    ]
