"""Display of cells: text, interval, and a tint by the p of the exact test against chance."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from django.utils.formats import date_format

from benchmarks.definitions.concepts import WHOLE
from evaluation.runs.pages.number_format import chance_of_as_much
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import OF_ALL, OVERALL, BoardCell, BoardColumn, BoardRow
from leaderboard.board.query import View
from leaderboard.board.rows import link_to_items
from leaderboard.standings.paired_differences import Distance
from measures.estimate import stands
from measures.figures import FEW_CLIPS

LIMITS = (0.05, 0.01, 0.001)  # of p, for each step of tint
SIGNS = {"a": "▲", "b": "▼"}


@dataclass(frozen=True)
class CellDisplay:
    """One cell's texts and CSS classes, as templates print them; `look` has the tint."""

    text: str = ""
    missing: str = ""
    range: str = ""
    look: str = ""
    href: str = ""
    title: str = ""
    is_whole: bool = False  # of an overall column

    @property
    def sign(self) -> str:
        """▲ above chance, ▼ below, nothing without a tint."""
        return next((SIGNS[name[0]] for name in self.look.split() if name[0] in SIGNS and name[1:].isdigit()), "")


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
    says: str = ""  # in place of the cells of a row without any

    @property
    def facts(self) -> list[str]:
        """What stands under its name: the maker and size of a model and when it was measured; the note of others."""
        row = self.row
        if not row.kind.is_ranked:
            return list(filter(None, [row.note if row.kind.is_ours else self._of_paper]))
        unread = f"{self.unread} % unparsed" if self.unread else ""
        date = date_format(row.date, "j M Y") if row.date else ""
        found = (row.maker, row.parameters, row.apart, date, row.note, unread, *row.badges)
        return [one for one in found if one]

    @property
    def _of_paper(self) -> str:
        return self.row.note.partition(". ")[0] if self.row.of_people else self.row.parameters

    @property
    def distances(self) -> tuple[CellDisplay, ...]:
        return (self.distance,) if self.distance else ()


def display_rows(
    board: Board, rows: Sequence[BoardRow], columns: Sequence[BoardColumn] | None = None
) -> list[DisplayRow]:
    """Rows with the cell displays of these columns, by default all."""
    return [_display_row(board, row, board.columns if columns is None else columns) for row in rows]


def _display_row(board: Board, row: BoardRow, columns: Sequence[BoardColumn]) -> DisplayRow:
    first = () if board.blocks else (replace(OF_ALL, chance=board.chance),)
    views = {block.key: block.view for block in board.blocks}
    marks = tuple(
        replace(_cell_display(board, views.get(column.block, board.view), row, column), is_whole=column.is_whole)
        for column in (*first, *columns)
    )
    overall = row.overall
    unread = "" if overall is None or not overall.unread else share_text(overall, overall.unread)
    n = "" if overall is None or overall.n is None else f"{overall.n:,}".replace(",", "\u202f")
    distance = _far(row.distance) if row.distance else None
    says = "" if row.cells or board.blocks else _instead(board, row)
    return DisplayRow(row, rank_text(row), marks, unread, n, distance, says)


def _instead(board: Board, row: BoardRow) -> str:
    """Why a row has no figure but an overall one."""
    if row.kind.is_ours:
        return board.hidden or "–"
    facet = board.view.benchmark.facet(board.view.group).title.lower()
    return f"the paper gives no number by {facet}"


def _far(found: Distance) -> CellDisplay:
    """Points behind (−) or ahead of (+) people, with the interval; tinted if the printed p is below 0.05."""
    bounds = "" if found.low is None or found.high is None else between(points(found.low, 0), points(found.high, 0))
    title = f"{found.n} items that both answered, p {chance_of_as_much(found.p)} (Holm)"
    return CellDisplay(
        points(found.value), range=bounds, look=_tint(found.value, found.p), href=found.link, title=title
    )


def between(low: str, high: str) -> str:
    """The ends of an interval, which may have signs."""
    return f"{low} to {high}"


def points(difference: float, decimals: int = 1) -> str:
    """Percentage points with their sign; zero has none."""
    text = f"{100 * difference:+.{decimals}f}"
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", "−")


def rank_text(row: BoardRow) -> str:
    """The range of its ranks: "2–4"; "" without one."""
    if row.rank is None:
        return ""
    best, worst = row.rank
    return str(best) if best == worst else f"{best}–{worst}"


def _cell_display(board: Board, view: View, row: BoardRow, column: BoardColumn) -> CellDisplay:
    cell = row.cell(column.key)
    if cell is None:
        why = board.hidden if is_hidden(board, row, column.block) else ""
        return CellDisplay(missing="hidden" if why else _nothing(row, column), title=why)
    if not row.kind.is_ours:
        return replace(_published_display(view, cell, column), look="real" if row.of_people else "")
    p = board.adjusted.get((row.key, column.key))
    own = DRAWERS[view.columns](cell, CellPlace(column, link_to_items(row, view, column), p))
    if not row.is_people:
        return own
    few = "few " if own.look == "few" else ""
    return replace(own, look=f"{few}{'sim' if row.kind.is_simulated else 'real'}")


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
    return "not reported" if row.cells or column.key == OVERALL else ""


def _published_display(view: View, cell: BoardCell, column: BoardColumn) -> CellDisplay:
    """Display of a published cell: the paper's figure, with its interval if it prints one, or its words."""
    if view.columns == "halves":
        return _by_polarity(cell, CellPlace(column, "", None))
    if cell.score is None:
        if cell.share is not None:
            return CellDisplay(cell.published_text.replace("about ", "≈ "), range="no interval", title=cell.note)
        return CellDisplay(missing=cell.published_text, title=cell.note)
    text = cell.published_text if column.key == OVERALL or cell.low is None else cell.published_text.partition(" ±")[0]
    return CellDisplay(text, range=spread(cell.low, cell.high), title=cell.note)


def _accuracy(cell: BoardCell, place: CellPlace) -> CellDisplay:
    """The score, overall with one decimal; with few clips their number stands in place of the interval."""
    if cell.score is None:
        return CellDisplay(missing="–")
    text = score_text(cell) if place.column.is_whole or cell.range else whole_percent(cell.score)
    few = is_tentative(cell)
    return CellDisplay(
        text=text,
        range=f"n = {clips_of(cell)}" if few else spread(cell.low, cell.high),
        look="few" if few else tint(cell, place),
        href=place.href,
        title=facts_of(cell, place.p) + (f", {spread(cell.low, cell.high)}" if few else ""),
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
    return CellDisplay(share_text(cell, cell.yes), href=place.href)


def _repeats(cell: BoardCell, place: CellPlace) -> CellDisplay:
    if cell.repeats is None:
        return CellDisplay(missing="–")
    return CellDisplay(percent(cell.repeats), href=place.href, title=facts_of(cell))


def _guessing(cell: BoardCell, place: CellPlace) -> CellDisplay:
    """p with the score in small."""
    if place.p is None or cell.score is None:
        return CellDisplay(missing="–")
    return CellDisplay(
        chance_of_as_much(place.p),
        range=percent(cell.score),
        look="few" if is_tentative(cell) else tint(cell, place),
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
        yield f"{count} by {f'{votes} people together' if votes != '1' else 'one person'}"
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


def spread(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.0f}–{100 * high:.0f}"


@lru_cache(4096)
def whole_percent(share: float) -> str:
    """A share in whole per cent, half up: 0.825 is 83."""
    return str(Decimal(str(round(100 * share, 6))).quantize(Decimal(1), ROUND_HALF_UP))


def clips_of(cell: BoardCell) -> int | None:
    """The number of clips that the figure rests on."""
    return cell.facts.get("clips", cell.n)


def is_tentative(cell: BoardCell) -> bool:
    """Whether the figure rests on fewer clips than tell much."""
    clips = clips_of(cell)
    return clips is not None and clips < FEW_CLIPS


def tint(cell: BoardCell, place: CellPlace) -> str:
    """The CSS class of a cell's tint: teal above chance, violet below, stronger with a smaller printed p."""
    chance = place.column.chance
    if chance is None or cell.score is None:
        return ""
    return _tint(cell.score - chance, place.p)


def _tint(difference: float, p: float | None) -> str:
    """ "a1" to "a3" above, "b1" to "b3" below; "" at a p that chance may have made, or without a test."""
    if p is None or not stands(p):
        return ""
    return f"{'a' if difference >= 0 else 'b'}{sum(p < limit for limit in LIMITS)}"
