"""Describes the motion in a whole clip by numbers that show a course, a stop or a new colour to a simple classifier."""

import numpy as np
from numpy.typing import NDArray

MOMENTS = 16  # evenly spaced over the clip
CHANGED = 40  # of 765: the sum of a pixel's three channels
FEWEST = 2  # pixels that make a blob

Floats = NDArray[np.float64]


def motion_numbers(frames: NDArray[np.uint8]) -> Floats:
    """Numbers that describe the motion in these frames [moments, height, width, 3].

    The picture is mirrored if the clip's first motion is in its right half, since no test depends on left and right.
    """
    pictures = frames.astype(np.int16)
    steps = np.abs(np.diff(pictures, axis=0)).sum(axis=3) > CHANGED
    if _first_place(steps) > 0.5:
        pictures, steps = pictures[:, :, ::-1], steps[:, :, ::-1]
    since_start = np.abs(pictures[1:] - pictures[0]).sum(axis=3) > CHANGED
    blobs = [
        np.array([_blob(*pair) for pair in zip(masks, pictures[1:], strict=True)]) for masks in (steps, since_start)
    ]
    chosen = np.linspace(0, len(steps) - 1, MOMENTS).round().astype(int)
    return np.concatenate([part for blob in blobs for part in (blob[chosen].ravel(), *_changes(blob))])


def _first_place(steps: NDArray[np.bool_]) -> float:
    """The horizontal place, 0 (left) to 1 (right), of the first tenth of all changed pixels."""
    counts = np.cumsum(steps.sum(axis=(1, 2)))
    early = steps[: int(np.searchsorted(counts, counts[-1] / 10)) + 1].sum(axis=(0, 1))
    return float((early * np.linspace(0, 1, len(early))).sum() / max(1, early.sum()))


def _blob(mask: NDArray[np.bool_], picture: NDArray) -> Floats:
    """Share of the picture, place, spread and colour of these pixels; zeros if there are hardly any."""
    rows, columns = np.nonzero(mask)
    if len(rows) < FEWEST:
        return np.zeros(8)
    height, width = mask.shape
    colour = picture[rows, columns].mean(axis=0) / 255
    places = (columns.mean() / width, rows.mean() / height, columns.std() / width, rows.std() / height)
    return np.array([len(rows) / mask.size, *places, *colour])


def _changes(blob: Floats) -> tuple[Floats, Floats, Floats]:
    """Means over the first and over the last third of the moments with a blob, and their difference."""
    seen = blob[blob[:, 0] > 0]
    if not len(seen):
        return (np.zeros(8),) * 3
    third = max(1, len(seen) // 3)
    first, last = seen[:third].mean(axis=0), seen[-third:].mean(axis=0)
    return first, last, np.abs(last - first)
