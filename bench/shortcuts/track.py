"""Follows the first moving thing in a clip: its track in numbers, and the picture around its place of rest.

The thing is found by its colour, that of the pixels that change while it first moves. Lengths are in picture heights.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from bench.shortcuts.motion import FEWEST, Floats

CLEAR, LIKE = 60, 90  # of 765: a change beyond the encoder's; largest distance of a pixel from the thing's colour
MOVER = 6  # pixels that change when something moves
FIRST = 3  # frames with motion for finding the thing's colour
STRETCH = 6  # largest number of consecutive frames for its first direction
AROUND = 14  # pixels on each side of the place of rest
NUMBERS = 30

Frames = NDArray[np.uint8]  # moments, height, width, 3


@dataclass(frozen=True)
class Track:
    """The thing's place in each frame that shows it, and its first direction; y points down, x as it first moves."""

    frames: Frames
    seen: NDArray[np.int64]  # numbers of the frames that show it
    places: Floats  # of these frames: x, y and share of the picture
    known: int  # number of frames for the direction
    along: Floats  # unit vector

    @property
    def aside(self) -> Floats:
        return np.array([-self.along[1], self.along[0]])

    def from_start(self, number: int) -> tuple[float, float]:
        """The thing's distance along and beside its first line in one of the frames that show it."""
        away = self.places[number, :2] - self.places[0, :2]
        return float(away @ self.along), abs(float(away @ self.aside))


def track_of(frames: Frames) -> Track | None:
    """The track, mirrored so that the first motion is to the right; None if nothing moves."""
    found = _followed(frames)
    return _followed(frames[:, :, ::-1]) if found is not None and found.along[0] < 0 else found


def track_numbers(track: Track | None) -> Floats:
    """Start, direction, places, times and speeds in NUMBERS numbers; zeros if nothing moves."""
    if track is None:
        return np.zeros(NUMBERS)
    places, seen, count = track.places, track.seen, len(track.frames)
    speeds = np.diff(places[:, :2], axis=0) / np.diff(seen)[:, None]
    start, end, high, low = places[0, :2], places[-1, :2], places[:, 1].min(), places[:, 1].max()
    return np.array(
        [
            *(*start, *track.along, *end, end[1] - start[1], low - end[1], end[1] - high),
            *(*track.from_start(track.known - 1), *track.from_start(-1)),
            *(np.hypot(*(places[track.known - 1, :2] - start)), end[1] - places[track.known - 1, 1]),
            *(seen[0] / count, seen[-1] / count, len(seen) / count, places[:, 2].max(), places[-1, 2]),
            *_summary(speeds @ track.along),
            *_summary(np.abs(speeds @ track.aside)),
        ]
    )


def rest_picture(track: Track | None) -> Frames:
    """The last frame around the thing's last place, rotated and mirrored; black beyond the frame.

    The thing comes from above and rests to the right of its first line.
    """
    edge = 2 * AROUND + 1
    if track is None:
        return np.zeros((edge, edge, 3), dtype=np.uint8)
    last = track.frames[-1]
    height, width = last.shape[:2]
    right, down = np.meshgrid(*[np.arange(-AROUND, AROUND + 1)] * 2)
    spots = track.places[-1, :2] * height + right[..., None] * track.aside + down[..., None] * track.along
    x, y = np.moveaxis(spots.round().astype(int), 2, 0)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    picture = np.where(inside[..., None], last[y.clip(0, height - 1), x.clip(0, width - 1)], 0).astype(np.uint8)
    is_left = (track.places[-1, :2] - track.places[0, :2]) @ track.aside < 0
    return picture[:, ::-1] if is_left else picture


def _followed(frames: Frames) -> Track | None:
    pictures = frames.astype(np.int16)
    apart = np.abs(pictures - pictures[0]).sum(axis=3)
    arrived = (apart[1:] > CLEAR) & (np.abs(np.diff(pictures, axis=0)).sum(axis=3) > CLEAR)
    moving = np.flatnonzero(arrived.sum(axis=(1, 2)) >= MOVER)[:FIRST]
    if not len(moving):
        return None
    colour = _colour(*(values[1:][moving][arrived[moving]] for values in (pictures, apart)))
    like = (np.abs(pictures - colour).sum(axis=3) < LIKE) & (apart > CLEAR)
    found = [(number, _place(mask)) for number, mask in enumerate(like)]
    seen = np.array([number for number, place in found if place is not None], dtype=int)
    if len(seen) < 2:
        return None
    places = np.array([place for _, place in found if place is not None])
    gaps = np.flatnonzero(np.diff(seen) > 1)
    known = min(max(2, int(gaps[0]) + 1 if len(gaps) else len(seen)), STRETCH)
    away = places[known - 1, :2] - places[0, :2]
    length = np.hypot(*away)
    return Track(frames, seen, places, known, away / length if length else np.array([1.0, 0.0]))


def _colour(pixels: NDArray, apart: NDArray) -> NDArray[np.float64]:
    """The median colour of the clearer half of these pixels: edge pixels mix with the background."""
    return np.median(pixels[apart >= np.median(apart)], axis=0)


def _place(mask: NDArray[np.bool_]) -> tuple[float, float, float] | None:
    """Middle and share of the picture of the largest patch."""
    patches, count = ndimage.label(mask)
    sizes = np.bincount(patches.ravel(), minlength=count + 1)[1:]
    if not count or sizes.max() <= FEWEST:
        return None
    rows, columns = np.nonzero(patches == sizes.argmax() + 1)
    return columns.mean() / len(mask), rows.mean() / len(mask), len(rows) / mask.size


def _summary(values: Floats) -> tuple[float, ...]:
    """Mean, extremes, and means of the first and the last third."""
    third = max(1, len(values) // 3)
    return values.mean(), values.max(), values.min(), values[:third].mean(), values[-third:].mean()
