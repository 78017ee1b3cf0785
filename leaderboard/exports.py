"""The papers' tables and our own, by name: each layout is a function that gives a table."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

from benchmarks.definition import Benchmark
from benchmarks.models import ItemFacet, Pack
from benchmarks.printed import PublishedCell, PublishedRow
from benchmarks.registry import BENCHMARKS, find_benchmark
from evaluation.models import Run
from leaderboard import provenance
from leaderboard.address import shelf_of, view_of
from leaderboard.beside_people import human_vs_model
from leaderboard.board import BoardRow
from leaderboard.models import RowKind, Standing
from leaderboard.printed import table_of as printed_table
from leaderboard.rows import board_of
from leaderboard.tables import Table, Value, full_name, in_per_cent, short_text

ROWS = ("published", "uploaded", "run", "human")
PAPER_COLUMNS = ("Shape", "Color", "Movement", "Direction", "RelationalPosition", "Ordering")


def grasp_table_1(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """Concepts and the number of tests on each; from the items where a pack stands, else from the definition."""
    counts = _tests_by_concept(pack) if pack else {}
    stated = _stated_tests(benchmark)
    body = tuple(
        (concept.title, len(counts.get(concept.value) or stated[concept.value]))
        for concept in benchmark.facet("concept").values
    )
    return Table("GRASP, Table 1: tests by concept", ("Concept", "Tests"), body)


def _tests_by_concept(pack: Pack) -> dict[str, set[str]]:
    facets = ItemFacet.objects.filter(item__pack=pack, name="concept", item__facets__name="test")
    found: dict[str, set[str]] = {}
    for concept, test in facets.values_list("value", "item__facets__value").distinct():
        found.setdefault(concept, set()).add(test)
    return found


def _stated_tests(benchmark: Benchmark) -> dict[str, set[str]]:
    from benchmarks.definitions.grasp_tests import LEVEL_2

    return {
        concept.value: {test.name for test in LEVEL_2 if concept.value in test.concepts}
        for concept in benchmark.facet("concept").values
    }


def grasp_table_2(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """Level 1 accuracy: a row an answerer and strategy, the paper's columns."""
    return _level_1(benchmark, pack, rows, source="Table 2", columns="accuracy")


def grasp_table_3(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """Level 1 accuracy on false and on true statements."""
    return _level_1(benchmark, pack, rows, source="Table 3", columns="halves")


def _level_1(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...], *, source: str, columns: str) -> Table:
    titles = {value.value: value.title for value in benchmark.facet("test").values}
    known = [strategy for strategy in benchmark.level("1").strategies if columns == "accuracy" or strategy != "open"]
    body = [row for strategy in known for row in _paper_rows(benchmark, pack, rows, strategy, columns)]
    printed = [row for row in benchmark.published if row.source == source]
    marks = [_marked(row, cell) for row in printed for cell in row.cells if cell.mark]
    what = "negative/positive accuracy in %" if columns == "halves" else "accuracy in %"
    heads = ("Strategy", "Model", *(titles[column] for column in PAPER_COLUMNS))
    return Table(f"GRASP, {source}: Level 1, {what}", heads, tuple(body), tuple(marks))


def _marked(row: PublishedRow, cell: PublishedCell) -> str:
    return f"{row.strategy}, {row.name} {row.parameters}, {cell.column} {cell.polarity}: {cell.mark}"


def _paper_rows(
    benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...], strategy: str, columns: str
) -> Iterator[tuple[Value, ...]]:
    given = {"level": "1", "strategy": strategy, "columns": columns, "rows": ",".join(rows)}
    board = board_of(view_of(benchmark, given | ({"pack": pack.name} if pack else {}), shelf_of(benchmark.slug)))
    for row in (*board.published, *board.pinned, *board.ranked):
        cells = (row.cells.get(column) for column in PAPER_COLUMNS)
        yield (strategy, full_name(row), *(short_text(board.view, cell).split(" (")[0] for cell in cells))


def grasp_text_only(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """Level 2 told in words: what the paper prints, and what was measured here."""
    given = {"level": "2", "strategy": "text", "rows": ",".join(rows)}
    board = board_of(view_of(benchmark, given | ({"pack": pack.name} if pack else {}), shelf_of(benchmark.slug)))
    body = tuple((full_name(row), _overall(row), row.overall.n if row.overall else None) for row in board.rows)
    notes = tuple(sorted({row.note for row in _text_rows(benchmark) if row.note}))
    return Table("GRASP, Level 2 from descriptions alone, accuracy in %", ("Model", "Accuracy %", "n"), body, notes)


def _overall(row: BoardRow) -> Value:
    if row.overall is None:
        return None
    return row.overall.printed or in_per_cent(row.overall.score)


def _text_rows(benchmark: Benchmark) -> list[PublishedRow]:
    return [row for row in benchmark.published if row.strategy == "text"]


Layout = Callable[[Benchmark, Pack | None, tuple[str, ...]], Table]
LAYOUTS: dict[str, tuple[str, Layout]] = {
    "grasp-table-1": ("grasp", grasp_table_1),
    "grasp-table-2": ("grasp", grasp_table_2),
    "grasp-table-3": ("grasp", grasp_table_3),
    "grasp-text-only": ("grasp", grasp_text_only),
    **{
        f"{slug}-{table.name}": (slug, partial(printed_table, name=table.name))
        for slug in ("craft", "pacs", "giraffe")
        for table in BENCHMARKS[slug].tables
    },
    **{f"human-vs-model:{slug}": (slug, human_vs_model) for slug in BENCHMARKS},
}


def layouts_of(slug: str) -> list[str]:
    """The names of a benchmark's tables."""
    return [layout for layout, (of, _) in LAYOUTS.items() if of == slug]


class UnknownLayout(ValueError):
    """No such table, pack or row; the message says what there is."""


def table_named(layout: str, *, pack_name: str = "", rows: tuple[str, ...] = ROWS) -> Table:
    """The table of this layout; the newest pack with rows where none is named."""
    if layout not in LAYOUTS:
        raise UnknownLayout(f"there is no table {layout!r}; there is: {', '.join(LAYOUTS)}")
    wrong = [kind for kind in rows if kind not in ROWS]
    if wrong:
        raise UnknownLayout(f"--rows {wrong[0]!r} does not exist; there is: {', '.join(ROWS)}")
    slug, make = LAYOUTS[layout]
    benchmark = find_benchmark(slug)
    pack = pack_named(slug, pack_name, ways_in(benchmark, layout))
    query = urlencode({"rows": ",".join(rows)} | ({"pack": pack.name} if pack else {}))
    path = f"/leaderboard/{slug}/tables/{layout}/?{query}"
    cautious = any(value.caution for value in benchmark.facet("test").values)
    caution = "items under the authors' caution counted in" if cautious else ""
    made_of = provenance.of(benchmark, path, pack=pack, layout=layout, rows=", ".join(rows), caution=caution)
    return replace(make(benchmark, pack, rows), provenance=made_of)


def ways_in(benchmark: Benchmark, layout: str) -> tuple[str, ...]:
    """How is asked what a paper's table is about: all ways of its columns' levels; () = the layout is no such table."""
    found = (table for table in benchmark.tables if layout == f"{benchmark.slug}-{table.name}")
    levels = {column.place["level"] for table in found for column in table.columns if "level" in column.place}
    return tuple(way for level in benchmark.levels if level.number in levels for way in level.strategies)


def pack_named(slug: str, name: str, strategies: tuple[str, ...] = ()) -> Pack | None:
    """The pack of this name; without one the newest that people and models answered, or models alone, so asked."""
    shelf = shelf_of(slug)
    if name and not shelf.find(name):
        known = ", ".join(pack.name for pack in shelf.packs) or "none yet"
        raise UnknownLayout(f"{slug} has no pack {name!r}; there is: {known}")
    if name:
        return shelf.find(name)
    with_people = _pack_with_people(slug)
    is_so_asked = with_people is not None and shelf.has_rows(with_people, strategies)
    return with_people if is_so_asked else shelf.default_pack(strategies)


def _pack_with_people(slug: str) -> Pack | None:
    """The newest pack that people and models answered."""
    people = Standing.objects.filter(pack__benchmark=slug, kind=RowKind.HUMAN).values("pack_id")
    runs = Run.objects.on_the_board().values("pack_id")
    return Pack.objects.filter(pk__in=people).filter(pk__in=runs).order_by("-created_at").first()
