"""How a cell looks: its text, its tint and the geometry of its small forest plot, all as attributes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from leaderboard.address import View
from leaderboard.board import Board, BoardRow, Cell, Column
from leaderboard.distances import Distance
from leaderboard.rows import link_to_items

LEFT, SPAN = 2, 92  # the axis of a cell runs from x = 2 to 94 of a picture 96 wide


@dataclass(frozen=True)
class Mark:
    """One cell, ready to print."""

    text: str = ""
    missing: str = ""
    range: str = ""
    dot: str = ""
    line: str = ""
    chance: str = ""
    tint: str = ""
    href: str = ""
    title: str = ""
    is_whole: bool = False  # of an overall column


@dataclass(frozen=True)
class Place:
    """Where a mark stands: its column, where its items are listed, and p against guessing for the whole view."""

    column: Column
    href: str
    p: float | None


@dataclass(frozen=True)
class DrawnRow:
    """A row with its marks: overall first, then one a column."""

    row: BoardRow
    rank: str
    marks: tuple[Mark, ...]
    unread: str
    n: str
    distance: Mark | None = None
    opens_group: bool = False  # it lies wholly below the best of the rows above, in the usual order


def drawn(board: Board, rows: Sequence[BoardRow]) -> list[DrawnRow]:
    """In the usual order a row says where a new group of rows begins that can't be told apart."""
    groups = [row.group for row in rows] if board.view.sort == "overall" else []
    opens = {place for place, (above, own) in enumerate(pairwise(groups), 1) if above and own and own > above}
    return [replace(_drawn(board, row), opens_group=place in opens) for place, row in enumerate(rows)]


def _drawn(board: Board, row: BoardRow) -> DrawnRow:
    first = () if board.blocks else (Column("", "overall", chance=board.chance),)
    views = {block.key: block.view for block in board.blocks}
    columns = (*first, *board.columns)
    marks = tuple(
        replace(_mark(board, views.get(one.block, board.view), row, one), is_whole=not one.key or one.is_whole)
        for one in columns
    )
    overall = row.overall
    unread = "" if overall is None or overall.unread is None else percent(overall.unread)
    n = "" if overall is None or overall.n is None else f"{overall.n:,}".replace(",", "\u202f")
    return DrawnRow(row, _rank(row), marks, unread, n, _far(row.distance) if row.distance else None)


def _far(found: Distance) -> Mark:
    """Points behind (−) or ahead of (+) people, with the interval; a difference that stands is tinted."""
    bounds = "" if found.low is None or found.high is None else f"{points(found.low, 0)} to {points(found.high, 0)}"
    stands = found.p is not None and found.p < 0.05
    side = "above" if found.value > 0 else "below"
    title = f"{found.n} items that both answered, p {chance_of_as_much(found.p)} (Holm)"
    return Mark(points(found.value), range=bounds, tint=f"{side} k1" if stands else "", href=found.link, title=title)


def points(difference: float, decimals: int = 1) -> str:
    """Percentage points with their sign; none before a plain zero."""
    text = f"{100 * difference:+.{decimals}f}"
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", "−")


def _rank(row: BoardRow) -> str:
    if row.rank is None:
        return ""
    best, worst = row.rank
    return str(best) if best == worst else f"{best}–{worst}"


def _mark(board: Board, view: View, row: BoardRow, column: Column) -> Mark:
    key = column.key or "overall"
    cell = row.cell(key)
    if cell is None:
        return Mark(missing=_nothing(row, column))
    if row.kind == "published":
        return _printed(view, cell, column)
    p = board.adjusted.get((row.key, key))
    return DRAWERS[view.columns](cell, Place(column, link_to_items(row, view, column), p))


def _nothing(row: BoardRow, column: Column) -> str:
    """A row of which the paper prints one figure says "not printed" there alone, not in every column."""
    if row.kind != "published":
        return "–"
    if column.block and not row.keys.get(column.block):
        return ""  # the paper asked it in another way alone
    return "not printed" if row.cells or not column.key else ""


def _printed(view: View, cell: Cell, column: Column) -> Mark:
    """Only what the paper prints: its figure, hollow, or its words."""
    if view.columns == "halves":
        return _halves(cell, Place(column, "", None))
    if cell.score is None:
        return Mark(missing=cell.printed, title=cell.mark)
    line = _line(cell.low, cell.high)  # the paper's own, where it prints one
    return Mark(cell.printed, dot=x(cell.score), line=line, chance=_tick(column), title=cell.mark)


def _accuracy(cell: Cell, place: Place) -> Mark:
    if cell.score is None:
        return Mark(missing="–")
    return Mark(
        text=percent(cell.score),
        range=spread(cell.low, cell.high),
        dot=x(cell.score),
        line=_line(cell.low, cell.high),
        chance=_tick(place.column),
        tint=tint(cell, place.column.chance),
        href=place.href,
        title=_title(cell, place.p),
    )


def _halves(cell: Cell, place: Place) -> Mark:
    """Negative / positive, as the paper's Table 3 has it."""
    texts = [_half_text(half) for half in (cell.negative, cell.positive)]
    if texts == ["–", "–"]:
        return Mark(missing="–")
    return Mark(" / ".join(texts), href=place.href, title=cell.mark)


def _half_text(half: dict) -> str:
    if half.get("printed"):
        return str(half["printed"])
    return "–" if half.get("score") is None else percent(half["score"])


def _yes(cell: Cell, place: Place) -> Mark:
    if cell.yes is None:
        return Mark(missing="–")
    return Mark(percent(cell.yes), dot=x(cell.yes), chance=x(0.5), href=place.href)


def _repeats(cell: Cell, place: Place) -> Mark:
    """The mark for guessing stands where who answers without a look at the example would be, of two answers."""
    if cell.repeats is None:
        return Mark(missing="–")
    return Mark(percent(cell.repeats), dot=x(cell.repeats), chance=x(0.5), href=place.href, title=_title(cell))


def _guessing(cell: Cell, place: Place) -> Mark:
    """p large, the score small before it; what differs from guessing is tinted by its side."""
    if place.p is None or cell.score is None:
        return Mark(missing="–")
    chance = place.column.chance or 0.0
    side = f"{'above' if cell.score > chance else 'below'} k2" if place.p < 0.05 else ""
    return Mark(chance_of_as_much(place.p), range=percent(cell.score), tint=side, href=place.href, title=_title(cell))


def _sensitivity(cell: Cell, place: Place) -> Mark:
    """d' large, the criterion small before it."""
    if cell.d_prime is None or cell.criterion is None:
        return Mark(missing="–")
    return Mark(number(cell.d_prime), range=f"c {number(cell.criterion)}", href=place.href, title=_title(cell))


DRAWERS = {
    "accuracy": _accuracy, "halves": _halves, "yes": _yes, "sensitivity": _sensitivity,
    "repeats": _repeats, "guessing": _guessing,
}  # fmt: skip


def _title(cell: Cell, p: float | None = None) -> str:
    parts = [f"n {cell.n}"]
    if p is not None:
        parts.append(f"p {chance_of_as_much(p)}")
    if cell.unread:
        parts.append(f"{percent(cell.unread)} % unread")
    if cell.facts.get("ties"):
        parts.append(f"{cell.facts['ties']} ties")
    return ", ".join(parts)


def percent(share: float) -> str:
    """One decimal, without the sign: columns of them are easier to read."""
    return f"{100 * share:.1f}"


def number(value: float) -> str:
    """Two decimals, with a true minus."""
    return f"{value:.2f}".replace("-", "−")


def chance_of_as_much(p: object) -> str:
    """A p-value as print shows it: three decimals, and never a zero."""
    if not isinstance(p, float):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def spread(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.0f}–{100 * high:.0f}"


def x(share: float) -> str:
    return f"{LEFT + SPAN * share:.1f}".removesuffix(".0")


def _line(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"M{x(low)} 5H{x(high)}"


def _tick(column: Column) -> str:
    return "" if column.chance is None else x(column.chance)


def tint(cell: Cell, chance: float | None) -> str:
    """Teal above chance, violet below, none where the interval holds chance; stronger the further away."""
    if chance is None or cell.score is None or cell.low is None or cell.high is None:
        return ""
    if cell.low <= chance <= cell.high:
        return ""
    side = "above" if cell.score > chance else "below"
    return f"{side} k{min(4, int(abs(cell.score - chance) * 10))}"
