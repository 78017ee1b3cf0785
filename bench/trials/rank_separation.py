"""`python -m bench.trials.rank_separation`: how often a board separates models falsely and rightly, in simulation.

A model is right on an item with logit = level + item (+ model at the clip, if a clip has several items), so models find
the same items hard. A false separation puts a model below one that is no better. Writes the section about ranks of
docs/coverage.md; exit 1 if boards of equal models have more false separations than the target. The seed is fixed, so
the table is always the same.
"""

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from measures.intervals import clustered_sums
from measures.rank_sets import rows_below

BOARDS, ITEMS = 2_000, 512
SIZES = (5, 10, 20, 30)
EACH = (1, 4)  # items a clip
EQUAL = ((0.5, 1), (0.9, 1), (0.9, 4))  # share of right answers, about, and items a clip
MOST_FALSE = 0.06
HARD, OWN = 1.0, 0.7  # standard deviations of items, and of a model at a clip, in logits
SPREADS = {"four groups, 5 points apart": 4, "all apart, over 40 points": 0}
HEADING = "\n## Ranks: false and true separations\n"
EQUAL_HEADS = ("models", "right, about", "items a clip", "false: simultaneous", "false: pairwise")
UNEQUAL_HEADS = ("models differ", "models", *EQUAL_HEADS[2:], "found: simultaneous", "found: pairwise")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "coverage.md"
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Board:
    """The models' levels in logits, the number of items and the number of items a clip."""

    levels: tuple[float, ...]
    each: int
    items: int = ITEMS

    def random_scores(self, rng: np.random.Generator) -> tuple[Array, NDArray[np.int64]]:
        """Scores, 0 or 1 (models × items), and the clip of each item."""
        clips = self.items // self.each
        clip = np.repeat(np.arange(clips), self.each)
        own = OWN * rng.standard_normal((len(self.levels), clips))[:, clip] if self.each > 1 else 0.0
        hard = HARD * rng.standard_normal(clips)[clip]
        chance = expit(np.array(self.levels)[:, None] + hard + own)
        return (rng.random(chance.shape) < chance).astype(float), clip


@dataclass(frozen=True)
class Separations:
    """The share of boards with a false separation, and of truly different pairs that are separated."""

    false: float
    found: float


def overlap(scores: Array, clip: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which row lies below which other by the pairwise rule: their intervals do not overlap."""
    sums = np.stack([np.bincount(clip, row) for row in scores])
    sizes = np.bincount(clip).astype(float)
    low, high = np.array([(one.low, one.high) for one in (clustered_sums(row, sizes) for row in sums)]).T
    return high[:, None] < low[None]


def separations(board: Board, boards: int = BOARDS, seed: int = 0) -> tuple[Separations, Separations]:
    """Results of the simultaneous and of the pairwise rule on so many random boards."""
    levels = np.array(board.levels)
    truly = levels[:, None] < levels[None]
    false, found = np.zeros(2), np.zeros(2)
    for number in range(boards):
        scores, clip = board.random_scores(np.random.default_rng([seed, number]))
        for rule, below in enumerate((rows_below(scores, np.ones_like(scores), clip), overlap(scores, clip))):
            false[rule] += (below & ~truly).any()
            found[rule] += (below & truly).sum() / max(1, truly.sum())
    simultaneous, pairwise = (Separations(*pair) for pair in zip(false / boards, found / boards, strict=True))
    return simultaneous, pairwise


def equal_boards() -> list[Board]:
    return [Board((_level(right),) * size, each) for right, each in EQUAL for size in SIZES]


def unequal_boards() -> list[tuple[str, Board]]:
    return [
        (name, Board(_spread(size, groups), each))
        for name, groups in SPREADS.items()
        for each in EACH
        for size in SIZES
    ]


def _level(right: float) -> float:
    """The logit that gives about this share of right answers on items of the usual spread."""
    return float(np.log(right / (1 - right)) * np.sqrt(1 + HARD**2 / 2.89))


def _spread(size: int, groups: int) -> tuple[float, ...]:
    shares = 0.55 + 0.05 * (np.arange(size) * groups // size) if groups else np.linspace(0.45, 0.85, size)
    return tuple(_level(share) for share in shares)


def measure(boards: int = BOARDS) -> tuple[list, list]:
    """(board, simultaneous, pairwise) of equal models, and (name, board, simultaneous, pairwise) of unequal ones."""
    equal = [(board, *separations(board, boards, seed)) for seed, board in enumerate(equal_boards())]
    unequal = [
        (name, board, *separations(board, boards // 4, 100 + seed))
        for seed, (name, board) in enumerate(unequal_boards())
    ]
    return equal, unequal


def is_off_target(found: Separations) -> bool:
    return found.false > MOST_FALSE


def section(equal: Sequence, unequal: Sequence) -> str:
    worst = max(found.false for _, found, _ in equal)
    chance = 200 * np.sqrt(0.05 * 0.95 / BOARDS)
    return f"""{HEADING}
Boards of {ITEMS} items, alone or four a clip; models find the same items hard (`bench/trials/rank_separation.py`, in
the same part of `make soak`). A *false separation* puts a model below one that is no better. Simultaneous ranks, the
boards' default, test all pairs together; pairwise ranks (`?ranks=pairwise`) ask whether two 95 % intervals overlap.

Equal models, {BOARDS:,} boards a row (chance makes ± {chance:.1f} points): a board should hold a false separation in
5 % of cases. The target is {100 * MOST_FALSE:.0f} % at most, and the worst row has {_pc(worst)}.

{table(EQUAL_HEADS, [(len(b.levels), _right(b), b.each, new.false, old.false) for b, new, old in equal])}

Unequal models, {BOARDS // 4:,} boards a row. *Found* is the share of truly different pairs that are separated.

{table(UNEQUAL_HEADS, [(who, len(b.levels), b.each, *_both(new, old)) for who, b, new, old in unequal])}
"""


def table(heads: Sequence[str], rows: Iterable[Sequence[str | int | float]]) -> str:
    lines = [heads, ["---"] * len(heads), *([_text(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _both(new: Separations, old: Separations) -> tuple[float, ...]:
    return new.false, old.false, new.found, old.found


def _text(cell: str | int | float) -> str:
    return _pc(cell) if isinstance(cell, float) else str(cell)


def _right(board: Board) -> str:
    return next(f"{100 * right:.0f} %" for right, _ in EQUAL if _level(right) == board.levels[0])


def _pc(share: float) -> str:
    return f"{100 * share:.1f} %"


def main() -> int:
    began = time.monotonic()
    equal, unequal = measure()
    PAGE.write_text(PAGE.read_text().partition(HEADING)[0].rstrip("\n") + "\n" + section(equal, unequal))
    off = [board for board, found, _ in equal if is_off_target(found)]
    rows, seconds = len(equal) + len(unequal), time.monotonic() - began
    print(f"{PAGE.name}: {rows} rows of ranks, {len(off)} off target, {seconds:.0f} s")
    for board in off:
        print(f"{len(board.levels)} equal models, {board.each} items a clip", file=sys.stderr)
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
