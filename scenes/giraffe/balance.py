"""Chooses the wrong pictures: over a scenario's items, the right one is equally often at every place of every order.

The orders are those that rules without the pattern use: likeness to the other choices, nearness to the last shown
picture and to all shown ones, the most common colour, and ink; each among all four and among those not shown before. If
an item lacks a near miss for some place (none is nearer or fuller than the right picture), other items compensate.
"""

from collections.abc import Iterator

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from scenes.giraffe.choices import PLACES, ComparedPictures, compared, triples_of, with_wrong
from scenes.giraffe.puzzle import Puzzle, TooFew

COLOURS = 12  # most common colours of the compared pictures; one of them may be the most common of four
WHITE = 0xFFFFFF
PALE = 200  # of 255; a colour with all three channels above it is background
REPEATS = 0  # index in a tally: how often the right picture repeats a shown one
Shares = NDArray[np.float64]


class PlaceTally:
    """How often a scenario's right pictures were at each place of each order so far, in excess of chance."""

    def __init__(self) -> None:
        self.excess: Shares | float = 0.0

    @property
    def takes_repeats(self) -> bool:
        """Whether two wrong pictures may repeat shown ones: right pictures did so at least as often as by chance."""
        return bool(np.ravel(self.excess)[REPEATS] >= 0)

    def after(self, adds: Shares) -> Shares:
        """How uneven the places are after each of these additions, [triples]; places below chance are harmless."""
        uneven: Shares = (np.maximum(self.excess + adds, 0) ** 2).sum(axis=1)
        return uneven

    def add(self, added: Shares) -> None:
        self.excess = self.excess + added


def balanced(rng: Generator, one: Puzzle, tally: PlaceTally) -> tuple[float, Puzzle, Shares]:
    """Unevenness, puzzle and the tally's additions for the three near misses that leave it most even; raises TooFew."""
    found = compared(rng, one)
    repeating = (1,) if found.is_shown[0] else (0, 2) if tally.takes_repeats else (0,)
    triples = np.concatenate([triples_of(found.is_shown, again) for again in repeating])
    if not len(triples):
        raise TooFew("too few wrong pictures")
    adds = added(found, triples)
    uneven = tally.after(adds)
    best = rng.choice(np.flatnonzero(uneven == uneven.min()))
    return float(uneven[best]), with_wrong(one, found, triples[best]), adds[best]


def added(found: ComparedPictures, triples: NDArray[np.int64]) -> Shares:
    """The excess over chance with which each triple puts the right picture at each place, [triples, places]."""
    fours = np.column_stack([np.zeros(len(triples), np.int64), triples])
    again = found.is_shown[fours]
    scopes = np.ones_like(again), ~again
    others = list(_values(found, fours))
    rows = [places_of(values, rivals) for rivals in scopes for values in (_likeness(found, fours, rivals), *others)]
    likeness, nearness = rows[0], rows[len(rows) // 2 + 1]
    pairs = (likeness[:, :, None] * nearness[:, None, :]).reshape(len(fours), -1)
    repeats = np.where(again.any(axis=1), again[:, 0] / np.maximum(again.sum(axis=1), 1), 1 / PLACES)[:, None]
    return np.hstack([np.hstack([repeats, *rows]) - 1 / PLACES, pairs - 1 / PLACES**2])


def places_of(values: NDArray[np.float64], rivals: NDArray[np.bool_]) -> Shares:
    """The first value's share of the lowest, the second, the last but one and the last place, [rows, 4].

    It is 1 at its own place, divided equally over places shared with equal values, and 0 if the value is no rival.
    """
    low = (rivals & (values < values[:, :1])).sum(axis=1)[:, None]
    ties = np.maximum((rivals & (values == values[:, :1])).sum(axis=1), 1)[:, None]
    count = rivals.sum(axis=1)[:, None]
    wanted = np.column_stack([np.zeros_like(count), np.ones_like(count), count - 2, count - 1])
    wanted[:, 1:3][count[:, 0] < PLACES] = -1  # of two or three values, rules choose the outer places
    held: Shares = ((low <= wanted) & (wanted < low + ties)) / ties * rivals[:, :1]
    return held


def _likeness(found: ComparedPictures, fours: NDArray[np.int64], rivals: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How different each of four looks from its rivals, [fours, 4]."""
    apart = found.between[fours[:, :, None], fours[:, None, :]] * rivals[:, None, :]
    return apart.sum(axis=2).astype(float)


def _values(found: ComparedPictures, fours: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
    """Yield the other values that rules choose by, each [fours, 4]."""
    yield found.from_last[fours].astype(float)
    yield found.from_all[fours].astype(float)
    yield -found.pixels[..., :3].sum(axis=(1, 2, 3), dtype=np.int64).astype(float)[fours]
    counts = _colour_counts(found.pixels)[fours]
    commonest = counts.sum(axis=1).argmax(axis=1)
    yield counts[np.arange(len(fours)), :, commonest].astype(float)


def _colour_counts(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Pixels of each picture in each of the most common colours without the background, [pictures, colours]."""
    codes = pixels.view(">u4").reshape(len(pixels), -1).astype(np.uint32) >> 8  # RGBA -> one number for RGB
    own = [row[row != WHITE] for row in codes]
    every, counts = np.unique(np.concatenate(own), return_counts=True)
    counts[np.minimum(np.minimum(every >> 16, every >> 8 & 255), every & 255) > PALE] = 0
    common = np.sort(np.argsort(-counts, kind="stable")[:COLOURS])
    wanted = every[common[counts[common] > 0]]
    # The first column is for pictures with background only.
    return np.array([[0, *(np.count_nonzero(row == code) for code in wanted)] for row in own], np.int64)
