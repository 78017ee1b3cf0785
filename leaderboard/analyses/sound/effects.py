"""Audio effects, paired by item: with and without sound, with mismatched audio, and on the subset about materials."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from leaderboard.board.board_row import BoardCell, BoardRow
from leaderboard.board.column_blocks import BlockRow, lines_of
from leaderboard.board.query import BadAddress, View, view_of
from leaderboard.board.rows import rows_of_standings
from leaderboard.comparison.by_condition import WITH, WITHOUT, lines_under, pairs_between
from measures.estimate import difference, family
from measures.figures import Difference

SPOILT = ("silent-one", "flipped-audio")


@dataclass(frozen=True)
class Effect:
    """One answerer with sound (first) and without (second); `p_holm` is corrected over all rows of the page."""

    row: BoardRow
    other: BoardRow
    difference: Difference
    mended: int  # items right only with sound
    spoiled: int  # items right only without it
    p_holm: float | None = None

    @property
    def query(self) -> str:
        """Query string of the list of changed items."""
        return urlencode({"a": self.row.key, "b": self.other.key})


@dataclass(frozen=True)
class Spoilt:
    """One answerer with normal audio, and its difference under each mismatched condition."""

    row: BoardRow
    cells: dict[str, tuple[BoardCell, Difference | None]] = field(
        default_factory=dict
    )  # condition -> cell, difference from `audio`

    @property
    def ordered_cells(self) -> list[tuple[BoardCell, Difference | None] | None]:
        """The cells in the order of SOUND_COLUMNS; None for conditions without one."""
        return [self.cells.get(condition) for condition in SOUND_COLUMNS]


SOUND_COLUMNS = (WITH, *SPOILT, WITHOUT)


@dataclass(frozen=True)
class Subset:
    """One answerer on the questions about materials and on the others, under one strategy and condition."""

    row: BoardRow
    question_label: str
    cells: tuple[BoardCell | None, ...]  # by level, the last level first, as in PACS' Table 2


@dataclass(frozen=True)
class AudioEffects:
    """The three tables of the audio page of one view."""

    view: View
    effects: tuple[Effect, ...]
    spoilt: tuple[Spoilt, ...]
    subsets: tuple[Subset, ...]

    @property
    def has_simulated(self) -> bool:
        return any(effect.row.kind.is_simulated for effect in self.effects)


def audio_effects(view: View) -> AudioEffects:
    """The audio effects of a view; BadAddress if the benchmark has no sound."""
    if not view.benchmark.has_sound:
        raise BadAddress(f"{view.benchmark.title} has no sound")
    lines = sorted(lines_under(view, SOUND_COLUMNS), key=_place)
    effects = [effect for line in lines if (effect := _effect(view, line))]
    adjusted = family([effect.difference.p for effect in effects])
    return AudioEffects(
        view,
        tuple(replace(effect, p_holm=p) for effect, p in zip(effects, adjusted, strict=True)),
        tuple(_spoilt(view, line) for line in lines if {WITH} < line.rows.keys() and {*SPOILT} & line.rows.keys()),
        tuple(_subsets(view)),
    )


def _place(line: BlockRow) -> tuple[int, float]:
    """Sort key: people first, as on the boards, then by score under the line's first condition."""
    first = next(iter(line.rows.values()))
    group = 2 if first.kind.is_ranked else int(first.kind.is_simulated)
    return group, -((first.overall.score if first.overall else None) or 0.0)


def _effect(view: View, line: BlockRow) -> Effect | None:
    """The effect of sound on an answerer; None if it did not answer the same items both ways."""
    if not {WITH, WITHOUT} <= line.rows.keys():
        return None
    row, other = line.rows[WITH], line.rows[WITHOUT]
    pairs = pairs_between(view, row, other)
    if not pairs:
        return None
    mended = sum(pair.difference > 0 for pair in pairs)
    return Effect(row, other, difference(pairs), mended, sum(pair.difference < 0 for pair in pairs))


def _spoilt(view: View, line: BlockRow) -> Spoilt:
    normal = line.rows[WITH]
    found: dict[str, tuple[BoardCell, Difference | None]] = {}
    for condition, row in line.rows.items():
        pairs = [] if row is normal else pairs_between(view, row, normal)
        if row.overall:
            found[condition] = row.overall, difference(pairs) if pairs else None
    return Spoilt(normal, found)


def _subsets(view: View) -> Iterator[Subset]:
    """A row for each answerer and strategy; the levels' first strategies are paired, then their second ones, …"""
    levels = tuple(reversed(view.benchmark.levels))
    pack = {"pack": view.pack.name} if view.pack else {}
    for names in zip(*(level.strategies for level in levels), strict=False):
        parts = []
        for level, name in zip(levels, names, strict=True):
            parameters = {"level": level.number, "strategy": name, "condition": view.condition, "split": view.split}
            of_level = view_of(view.benchmark, parameters | pack, view.available)
            parts.append((level.number, rows_of_standings(of_level)))
        for line in sorted(lines_of(parts), key=_place):
            if len(line.rows) == len(levels):
                cells = tuple(line.rows[level.number].overall for level in levels)
                yield Subset(next(iter(line.rows.values())), view.benchmark.strategy(names[0]).title, cells)
