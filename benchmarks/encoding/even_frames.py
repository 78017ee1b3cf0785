"""Selects the frames of a clip and their size, identically for models and people; loads no decoder."""

from collections.abc import Sequence

import numpy as np

LONGEST_SIDE = 448  # pixels; larger clips are scaled down to this
JITTER = 0.002  # seconds; some containers round times to milliseconds


def evenly_spaced(count: int, times: Sequence[float]) -> tuple[int, ...]:
    """The numbers of the frames nearest to `count` evenly spaced times, from the first frame to the last.

    `times` are seconds in rising order, or range(n) for n frames of a constant rate. One alone is the middle frame.
    """
    total = len(times)
    if count == 1 or total == 1:  # a still image is shown once
        return (total // 2,)
    even = np.linspace(times[0], times[-1], total)
    if np.abs(even - times).max() <= JITTER:  # then frames are counted: no pick hangs on how a time is rounded
        return tuple(round(place * (total - 1) / (count - 1)) for place in range(count))
    places = np.interp(np.linspace(times[0], times[-1], count), times, range(total))
    return tuple(round(float(place)) for place in places)


def scaled_size(width: int, height: int, longest: int = LONGEST_SIDE) -> tuple[int, int]:
    """Width and height at which a frame is shown."""
    scale = min(1.0, longest / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))
