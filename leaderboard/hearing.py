"""What sound changes: the same answerer with it and without, with it spoilt, and on materials alone; paired by item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from leaderboard.address import BadAddress, Shelf, View, view_of
from leaderboard.blocks import Line, Part, lines_of
from leaderboard.board import PINNED, Block, BoardRow, Cell
from leaderboard.comparing import Difference, Pair, difference_of, paired
from leaderboard.items import source_of
from leaderboard.rows import rows_of_standings
from leaderboard.tables import full_name
from measures.multiplicity import holm

WITH, WITHOUT = "audio", "no-audio"
SPOILT = ("silent-one", "flipped-audio")
OURS = ("human", "simulated", "run", "uploaded")


@dataclass(frozen=True)
class Effect:
    """One answerer with sound (first) and without (second); Holm holds for all rows of the page together."""

    row: BoardRow
    other: BoardRow
    difference: Difference
    mended: int  # items right with sound alone
    spoiled: int  # items right without it alone
    p_holm: float | None = None

    @property
    def name(self) -> str:
        return full_name(self.row)

    @property
    def query(self) -> str:
        """By which the list of its items is asked for."""
        return urlencode({"a": self.row.key, "b": self.other.key})


@dataclass(frozen=True)
class Spoilt:
    """One answerer with its sound as it is, and what each way of spoiling it takes away."""

    row: BoardRow
    cells: dict[str, tuple[Cell, Difference | None]] = field(default_factory=dict)  # condition -> figure, from `audio`

    @property
    def name(self) -> str:
        return full_name(self.row)

    @property
    def listed(self) -> list[tuple[Cell, Difference | None] | None]:
        """In the order in which the page has its columns."""
        return [self.cells.get(condition) for condition in SOUND_COLUMNS]


SOUND_COLUMNS = (WITH, *SPOILT, WITHOUT)


@dataclass(frozen=True)
class Subset:
    """One answerer on the questions about materials and on the others, asked in the same way and given the same."""

    row: BoardRow
    asked: str
    cells: tuple[Cell | None, ...]  # by level, the last level first, as in PACS' Table 2

    @property
    def name(self) -> str:
        return full_name(self.row)


@dataclass(frozen=True)
class Hearing:
    """All that the page shows of one view."""

    view: View
    effects: tuple[Effect, ...]
    spoilt: tuple[Spoilt, ...]
    subsets: tuple[Subset, ...]

    @property
    def has_simulated(self) -> bool:
        return any(effect.row.kind == "simulated" for effect in self.effects)


def hearing_of(view: View, shelf: Shelf) -> Hearing:
    """BadAddress where a benchmark has no sound."""
    if not view.benchmark.has_sound:
        raise BadAddress(f"{view.benchmark.title} has no sound")
    lines = sorted(lines_under(view, SOUND_COLUMNS), key=_place)
    effects = [effect for line in lines if (effect := _effect(view, line))]
    adjusted = holm([effect.difference.p for effect in effects])
    return Hearing(
        view,
        tuple(replace(effect, p_holm=p) for effect, p in zip(effects, adjusted, strict=True)),
        tuple(_spoilt(view, line) for line in lines if {WITH} < line.rows.keys() and {*SPOILT} & line.rows.keys()),
        tuple(_subsets(view, shelf)),
    )


def lines_under(view: View, conditions: Sequence[str]) -> list[Line]:
    """Every answerer of the view with its row under each of these conditions."""
    return lines_of([_part(replace(view, condition=condition), condition) for condition in conditions])


def _place(line: Line) -> tuple[int, float]:
    """People first, as on the boards; then who is best under the first condition that there is."""
    first = next(iter(line.rows.values()))
    group = PINNED.index(first.kind) if first.kind in PINNED else len(PINNED)
    return group, -((first.overall.score if first.overall else None) or 0.0)


def _part(view: View, key: str) -> Part:
    rows = [row for row in rows_of_standings(view) if row.kind in OURS]
    return Part(Block(key, key, key, view), (), None, rows)


def pairs_between(view: View, first: BoardRow, second: BoardRow) -> list[Pair]:
    """The items of the view's level and split that both answered; people's rows say under which condition."""
    found = paired(*(source_of(view.benchmark, row.key).answers(view.split) for row in (first, second)))
    return [
        pair for pair in found
        if view.split in pair.item.facet_values("split") and view.level.number in pair.item.facet_values("level")
    ]  # fmt: skip


def _effect(view: View, line: Line) -> Effect | None:
    """Nothing for whoever did not answer both ways, or never the same item."""
    if not {WITH, WITHOUT} <= line.rows.keys():
        return None
    row, other = line.rows[WITH], line.rows[WITHOUT]
    pairs = pairs_between(view, row, other)
    if not pairs:
        return None
    mended = sum(pair.difference > 0 for pair in pairs)
    return Effect(row, other, difference_of(pairs), mended, sum(pair.difference < 0 for pair in pairs))


def _spoilt(view: View, line: Line) -> Spoilt:
    normal = line.rows[WITH]
    found: dict[str, tuple[Cell, Difference | None]] = {}
    for condition, row in line.rows.items():
        pairs = [] if row is normal else pairs_between(view, row, normal)
        if row.overall:
            found[condition] = row.overall, difference_of(pairs) if pairs else None
    return Spoilt(normal, found)


def _subsets(view: View, shelf: Shelf) -> Iterator[Subset]:
    """A row an answerer and way of asking; first ways go with first ones."""
    levels = tuple(reversed(view.benchmark.levels))
    pack = {"pack": view.pack.name} if view.pack else {}
    for names in zip(*(level.strategies for level in levels), strict=False):
        parts = []
        for level, name in zip(levels, names, strict=True):
            given = {"level": level.number, "strategy": name, "condition": view.condition, "split": view.split}
            parts.append(_part(view_of(view.benchmark, given | pack, shelf), level.number))
        for line in sorted(lines_of(parts), key=_place):
            if len(line.rows) == len(levels):
                cells = tuple(line.rows[level.number].overall for level in levels)
                yield Subset(next(iter(line.rows.values())), view.benchmark.strategy(names[0]).title, cells)
