"""Rows of a board from papers: those of the benchmark's own paper, and results of later papers."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.published_data import PublishedCell, PublishedRow
from leaderboard.board.assemble import BoardCell, BoardRow
from leaderboard.board.query import View
from leaderboard.board.row_sources.reported_models import link_of_reported
from leaderboard.models import EvidenceTier, PublishedResult
from leaderboard.row_kinds import RowKind

OURS_ALONE = ("yes", "sensitivity", "repeats", "guessing")  # figures that no paper prints


def later_results(view: View) -> list[PublishedResult]:
    """Results of later papers on this level, in one query."""
    found = PublishedResult.objects.checked().filter(benchmark=view.benchmark.slug, level=view.level.number)
    return list(found.order_by("date", "pk"))


def later_rows(view: View, results: Iterable[PublishedResult]) -> list[BoardRow]:
    """One row for each paper and answerer, with its citation; published rows have no rank or interval."""
    if not _shows_published(view) or view.columns != "accuracy":
        return []
    found: dict[tuple[str, ...], list[PublishedResult]] = {}
    for one in results:
        found.setdefault((one.strategy, one.condition, one.split, one.row, one.source), []).append(one)
    return [_in_group(view, _later(cells)) for cells in found.values() if _is_of(view, _published_row(cells))]


def _published_row(results: Sequence[PublishedResult]) -> PublishedRow:
    first = results[0]
    return PublishedRow(
        name=first.row,
        level=first.level,
        strategy=first.strategy,
        source=first.source,
        cells=tuple(PublishedCell(one.cell, one.figure) for one in results),
        condition=first.condition,
        split=first.split,
    )


def _later(results: Sequence[PublishedResult]) -> BoardRow:
    first = results[0]
    dated = first.date or f"entered {first.updated_at:%Y-%m-%d}"
    row = _published(f"later-{first.pk}", _published_row(results))
    words = {"source": first.source, "dated": dated, "who": first.checked_by}
    note = "{source} ({dated}); checked by {who}".format(**words)
    cited = f"{first.source}, {dated}"
    return replace(row, note=note, link=first.link, paper=first.link, citation=cited)


def _shows_published(view: View) -> bool:
    return view.columns not in OURS_ALONE


def _in_group(view: View, row: BoardRow) -> BoardRow:
    """The row without its cells by test if the view groups by another facet; its overall figure stays."""
    return row if view.group == view.level.groups[0] else replace(row, cells={})


def published_rows(view: View) -> list[BoardRow]:
    """The paper's own rows for this view."""
    if not _shows_published(view):
        return []
    is_by_polarity = view.columns == "halves"
    printed = view.benchmark.published
    rows = zip(printed, _rows_of_paper(view.benchmark), strict=True)
    return [
        _in_group(view, row_cells)
        for row, row_cells in rows
        if _is_of(view, row) and any(bool(c.polarity) == is_by_polarity for c in row.cells)
    ]


# By benchmark: they never change.
_PAPERS: dict[str, tuple[tuple[PublishedRow, ...], list[BoardRow]]] = {}


def _rows_of_paper(benchmark: Benchmark) -> list[BoardRow]:
    """Every row of the benchmark's own paper, computed once per process for pages of many levels."""
    known = _PAPERS.get(benchmark.slug)
    if known is None or known[0] is not benchmark.published:
        rows = [_published(f"published-{number}", row) for number, row in enumerate(benchmark.published)]
        known = _PAPERS[benchmark.slug] = (benchmark.published, rows)
    return known[1]


def _is_of(view: View, row: PublishedRow) -> bool:
    return (
        row.level == view.level.number
        and row.strategy in ("", view.strategy.name)
        and (row.condition or view.strategy.condition) == view.condition
        and row.split in ("", view.split)
        and row.dimension == view.dimension
    )


def _published(key: str, row: PublishedRow) -> BoardRow:
    columns = {cell.column: [one for one in row.cells if one.column == cell.column] for cell in row.cells}
    cells = {column: _published_cell(found, row.is_interval) for column, found in columns.items()}
    return BoardRow(
        key=key,
        name=row.name,
        kind=RowKind.PUBLISHED,
        tier=EvidenceTier.REPORTED,
        cells={column: cell for column, cell in cells.items() if column != "overall"},
        overall=cells.get("overall"),
        note=f"{row.source}. {row.note}".strip(),
        answerer=f"{row.name} {row.parameters}",
        parameters=row.parameters,
        model_link="" if row.of_people else link_of_reported(row.name, row.parameters),
        of_people=row.of_people,
        is_baseline=row.is_baseline,
    )


def _published_cell(cells: list[PublishedCell], is_interval: bool) -> BoardCell:
    by_polarity = {cell.polarity: {"score": published_share(cell.text), "printed": cell.text} for cell in cells}
    whole = next((cell for cell in cells if not cell.polarity), None)
    low, high = published_interval(whole.text) if whole and is_interval else (None, None)
    return BoardCell(
        score=published_share(whole.text) if whole else None,
        low=low,
        high=high,
        published_text=whole.text if whole else "/".join(cell.text for cell in cells),
        note="; ".join(cell.note for cell in cells if cell.note),
        positive=by_polarity.get("positive", {}),
        negative=by_polarity.get("negative", {}),
    )


def published_share(printed: str) -> float | None:
    """A printed percentage as a share, without the part after ±; None for words."""
    try:
        return float(printed.partition("±")[0]) / 100
    except ValueError:
        return None


def published_interval(printed: str) -> tuple[float | None, float | None]:
    """The ends, as shares, of an interval printed as "96.3 ± 2.1"; (None, None) if there is none."""
    middle, _, half = printed.partition("±")
    if not half:
        return None, None
    return (float(middle) - float(half)) / 100, (float(middle) + float(half)) / 100
