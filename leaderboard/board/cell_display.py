"""Display of cells: text, tint and the geometry of the small forest plot, all as SVG attributes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from benchmarks.definitions.concepts import WHOLE
from evaluation.runs.pages.number_format import chance_of_as_much
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardCell, BoardColumn, BoardRow
from leaderboard.board.query import View
from leaderboard.board.rows import link_to_items
from leaderboard.standings.paired_differences import Distance
from measures.estimate import excludes, stands

STEPS = 4  # of tint
FEW_CLIPS = 10
LEFT, SPAN = 2, 92  # a cell's axis runs from x = 2 to 94 in a drawing 96 wide


@dataclass(frozen=True)
class CellDisplay:
    """One cell's texts and geometry, as templates print them."""

    text: str = ""
    missing: str = ""
    range: str = ""
    dot: str = ""
    bar: str = ""  # in place of the dot: where a rounded figure lies
    line: str = ""
    chance: str = ""
    tint: str = ""
    href: str = ""
    title: str = ""
    is_whole: bool = False  # of an overall column


@dataclass(frozen=True)
class CellPlace:
    """The context of a cell's display: its column, the link to its items, its Holm-corrected p."""

    column: BoardColumn
    href: str
    p: float | None


@dataclass(frozen=True)
class DisplayRow:
    """A row with the displays of its cells: overall first, then one for each column."""

    row: BoardRow
    rank: str
    cells: tuple[CellDisplay, ...]
    unread: str
    n: str
    distance: CellDisplay | None = None
    opens_group: bool = False  # in the default order: it lies entirely below the best row of the group above


def display_rows(board: Board, rows: Sequence[BoardRow], *, whole_only: bool = False) -> list[DisplayRow]:
    """Rows with their cell displays, or the overall one alone; in the default order, the first row of each tie group
    is marked.
    """
    groups = [row.group for row in rows] if board.view.sort == "overall" else []
    opens = {place for place, (above, own) in enumerate(pairwise(groups), 1) if above and own and own > above}
    return [
        replace(_display_row(board, row, whole_only=whole_only), opens_group=place in opens)
        for place, row in enumerate(rows)
    ]


def _display_row(board: Board, row: BoardRow, *, whole_only: bool = False) -> DisplayRow:
    first = () if board.blocks else (BoardColumn("", "overall", chance=board.chance),)
    views = {block.key: block.view for block in board.blocks}
    columns = (*first, *(() if whole_only else board.columns))
    marks = tuple(
        replace(
            _cell_display(board, views.get(column.block, board.view), row, column),
            is_whole=not column.key or column.is_whole,
        )
        for column in columns
    )
    overall = row.overall
    unread = "" if overall is None or overall.unread is None else share_text(overall, overall.unread)
    n = "" if overall is None or overall.n is None else f"{overall.n:,}".replace(",", "\u202f")
    return DisplayRow(row, _rank(row), marks, unread, n, _far(row.distance) if row.distance else None)


def _far(found: Distance) -> CellDisplay:
    """Points behind (−) or ahead of (+) people, with the interval; tinted if the printed p is below 0.05."""
    bounds = "" if found.low is None or found.high is None else between(points(found.low, 0), points(found.high, 0))
    side = "above" if found.value > 0 else "below"
    words = {"n": found.n, "p": chance_of_as_much(found.p)}
    title = "{n} items that both answered, p {p} (Holm)".format(**words)
    return CellDisplay(
        points(found.value), range=bounds, tint=f"{side} k1" if stands(found.p) else "", href=found.link, title=title
    )


def between(low: str, high: str) -> str:
    """The ends of an interval, which may have signs."""
    return f"{low} to {high}"


def points(difference: float, decimals: int = 1) -> str:
    """Percentage points with their sign; zero has none."""
    text = f"{100 * difference:+.{decimals}f}"
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", "−")


def _rank(row: BoardRow) -> str:
    if row.rank is None:
        return ""
    best, worst = row.rank
    return str(best) if best == worst else f"{best}–{worst}"


def _cell_display(board: Board, view: View, row: BoardRow, column: BoardColumn) -> CellDisplay:
    key = column.key or "overall"
    cell = row.cell(key)
    if cell is None:
        why = board.hidden if is_hidden(board, row, column.block) else ""
        return CellDisplay(missing="hidden" if why else _nothing(row, column), title=why)
    if not row.kind.is_ours:
        return _published_display(view, cell, column)
    p = board.adjusted.get((row.key, key))
    return DRAWERS[view.columns](cell, CellPlace(column, link_to_items(row, view, column), p))


def is_hidden(board: Board, row: BoardRow, block: str = "") -> bool:
    """Whether the row answered these questions, and all its figures by test are hidden."""
    own = {key for key in row.cells if key.startswith(f"{block}/")} - {f"{block}/{WHOLE}"} if block else set(row.cells)
    return bool(board.hidden) and row.kind.is_ours and not own and (not block or block in row.keys)


def _nothing(row: BoardRow, column: BoardColumn) -> str:
    """Text of a cell without a figure: a dash, or for published rows "not reported" or nothing."""
    if row.kind.is_ours:
        return "–"
    if column.block and not row.keys.get(column.block):
        return ""  # the paper used another strategy only
    return "not reported" if row.cells or not column.key else ""


def _published_display(view: View, cell: BoardCell, column: BoardColumn) -> CellDisplay:
    """Display of a published cell: the paper's figure with a hollow dot, or its words."""
    if view.columns == "halves":
        return _by_polarity(cell, CellPlace(column, "", None))
    if cell.score is None:
        return CellDisplay(missing=cell.published_text, title=cell.note)
    line = _line(cell.low, cell.high)  # the paper's interval, if it prints one
    return CellDisplay(cell.published_text, dot=x(cell.score), line=line, chance=_tick(column), title=cell.note)


def _accuracy(cell: BoardCell, place: CellPlace) -> CellDisplay:
    if cell.score is None:
        return CellDisplay(missing="–")
    dot, bar = _mark(cell, cell.score)
    return CellDisplay(
        text=score_text(cell),
        range=spread(cell.low, cell.high),
        dot=dot,
        bar=bar,
        line=_line(cell.low, cell.high),
        chance=_tick(place.column),
        tint=tint(cell, place),
        href=place.href,
        title=facts_of(cell, place.p),
    )


def _by_polarity(cell: BoardCell, place: CellPlace) -> CellDisplay:
    """Negative / positive, as in the paper's Table 3."""
    texts = [_half_text(half) for half in (cell.negative, cell.positive)]
    if texts == ["–", "–"]:
        return CellDisplay(missing="–")
    return CellDisplay(" / ".join(texts), href=place.href, title=cell.note)


def _half_text(half: dict) -> str:
    if half.get("printed"):
        return str(half["printed"])
    return "–" if half.get("score") is None else percent(half["score"])


def _yes(cell: BoardCell, place: CellPlace) -> CellDisplay:
    if cell.yes is None:
        return CellDisplay(missing="–")
    dot, bar = _mark(cell, cell.yes)
    return CellDisplay(share_text(cell, cell.yes), dot=dot, bar=bar, chance=x(0.5), href=place.href)


def _repeats(cell: BoardCell, place: CellPlace) -> CellDisplay:
    """The repeat rate; its chance mark is at 0.5, the rate of ignoring the example on items with two options."""
    if cell.repeats is None:
        return CellDisplay(missing="–")
    return CellDisplay(percent(cell.repeats), dot=x(cell.repeats), chance=x(0.5), href=place.href, title=facts_of(cell))


def _guessing(cell: BoardCell, place: CellPlace) -> CellDisplay:
    """p with the score in small."""
    if place.p is None or cell.score is None:
        return CellDisplay(missing="–")
    return CellDisplay(
        chance_of_as_much(place.p),
        range=percent(cell.score),
        tint=tint(cell, place),
        href=place.href,
        title=facts_of(cell),
    )


def _sensitivity(cell: BoardCell, place: CellPlace) -> CellDisplay:
    """d' with the criterion in small."""
    if cell.d_prime is None or cell.criterion is None:
        return CellDisplay(missing="–")
    return CellDisplay(number(cell.d_prime), range=f"c {number(cell.criterion)}", href=place.href, title=facts_of(cell))


DRAWERS = {
    "accuracy": _accuracy,
    "halves": _by_polarity,
    "yes": _yes,
    "sensitivity": _sensitivity,
    "repeats": _repeats,
    "guessing": _guessing,
}


def facts_of(cell: BoardCell, p: float | None = None) -> str:
    """What a cell's figure rests on: the number of questions, its p against chance, what was left out."""
    parts = [f"n {cell.n}"]
    if p is not None:
        parts.append(f"p {chance_of_as_much(p)} (Holm)")
    if cell.unread:
        parts.append(f"{share_text(cell, cell.unread)} % unparsed")
    if cell.facts.get("ties"):
        parts.append(f"{cell.facts['ties']} ties, which count half")
    if cell.facts.get("incomplete"):
        parts.append(f"{cell.facts['incomplete']} incomplete and not scored")
    parts += _together(cell)
    if cell.rounded_to:
        parts.append(f"rounded to {cell.rounded_to} points, since some answers are withheld")
    return ", ".join(parts)


def _together(cell: BoardCell) -> Iterator[str]:
    """For a row of people: answers an item, and the accuracy of one person alone."""
    for votes, count in cell.facts.get("votes", {}).items():
        words = "%(count)s by %(people)s people together" if votes != "1" else "%(count)s by one person"
        yield words % {"count": count, "people": votes}
    single = cell.facts.get("single", {}).get("score")
    if single is not None:
        yield f"one person alone {percent(single)}"


def percent(share: float) -> str:
    """A share in per cent with one decimal, without the % sign, which makes columns easier to read."""
    return f"{100 * share:.1f}"


def number(value: float) -> str:
    """A number with two decimals and a typographic minus."""
    return f"{value:.2f}".replace("-", "−")


def figure(cell: BoardCell) -> str:
    """A cell's figure with its interval: "62.5 % (47–76)", or as printed."""
    if cell.published_text or cell.score is None:
        return f"{cell.published_text or '–'} %"
    ends = spread(cell.low, cell.high)
    return f"{score_text(cell)} %" + (f" ({ends})" if ends else "")


def score_text(cell: BoardCell) -> str:
    """The score with one decimal; a rounded one as the range in which it lies: "65–75"."""
    return share_text(cell, cell.score)


def share_text(cell: BoardCell, share: float | None) -> str:
    """The same of any share of a cell."""
    if ends := cell.range_of(share):
        return f"{100 * ends[0]:.4g}–{100 * ends[1]:.4g}"
    return "–" if share is None else percent(share)


def _mark(cell: BoardCell, share: float) -> tuple[str, str]:
    """The dot of an exact share and the bar of a rounded one; one of them is empty."""
    ends = cell.range_of(share)
    return ("", _line(*ends)) if ends else (x(share), "")


def spread(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.0f}–{100 * high:.0f}"


def x(share: float) -> str:
    return f"{LEFT + SPAN * share:.1f}".removesuffix(".0")


def _line(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"M{x(low)} 5H{x(high)}"


def _tick(column: BoardColumn) -> str:
    return "" if column.chance is None else x(column.chance)


def steps_from_chance(cell: BoardCell, chance: float | None, p: float | None) -> int:
    """Steps of tint, 1 to 4 by ten points above chance, negative below; 0 unless the printed p is below 0.05.

    A figure without a test, as rounded ones are, is tinted if its interval leaves chance out, by the end of its range
    that is nearer to chance. A few clips have the lightest tint: another handful may say something else.
    """
    if chance is None or cell.score is None:
        return 0
    if not (excludes(cell.low, cell.high, chance) if p is None else stands(p)):
        return 0
    nearest = min(cell.range or (cell.score,), key=lambda share: abs(share - chance))
    points = round(100 * (nearest - chance), 6)
    step = 1 if is_tentative(cell) else min(STEPS, 1 + int(abs(points) // 10))
    return step if points >= 0 else -step


def is_tentative(cell: BoardCell) -> bool:
    """Whether the figure rests on fewer clips than tell much."""
    clips = cell.facts.get("clips", cell.n)
    return clips is not None and clips < FEW_CLIPS


def tint(cell: BoardCell, place: CellPlace) -> str:
    """CSS classes: teal above chance, violet below, stronger further away; none at a p that chance may have made."""
    steps = steps_from_chance(cell, place.column.chance, place.p)
    return f"{'above' if steps > 0 else 'below'} k{abs(steps)}" if steps else ""
