"""The papers' tables and our own by name; each layout is a function that returns a table."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.published_data import PublishedCell, PublishedRow
from benchmarks.definitions.registry import BENCHMARKS, BUILT_IN, find_benchmark
from benchmarks.models import ItemFacet, Pack
from evaluation.models import Run
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardRow
from leaderboard.board.cell_display import percent
from leaderboard.board.query import BadAddress, available_packs, view_of
from leaderboard.board.rows import board_of, published_rows
from leaderboard.comparison.human_vs_model import human_vs_model
from leaderboard.exports import provenance
from leaderboard.exports.table import OwnCells, Table, Value, board_table, cell_in_per_cent, short_text, with_own_rows
from leaderboard.models import RowKind, Standing
from leaderboard.publications.published_tables import is_measured
from leaderboard.publications.published_tables import table_of as printed_table

ROWS = ("published", "uploaded", "run", "human")
PAPER_ALONE = ("published",)
PAPER_COLUMNS = ("Shape", "Color", "Movement", "Direction", "RelationalPosition", "Ordering")


def grasp_table_1(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """The number of tests per concept, counted in the pack's items, or in the definition without a pack."""
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
    from benchmarks.definitions.papers.grasp_tests import LEVEL_2

    return {
        concept.value: {test.name for test in LEVEL_2 if concept.value in test.concepts}
        for concept in benchmark.facet("concept").values
    }


def grasp_level_1(
    benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...], *, source: str, columns: str
) -> Table:
    """Level 1 accuracy in the paper's columns, one row per answerer and strategy; halves: false and true statements."""
    titles = {value.value: value.title for value in benchmark.facet("test").values}
    known = [strategy for strategy in benchmark.level("1").strategies if columns == "accuracy" or strategy != "open"]
    common = {"level": "1", "columns": columns, "rows": ",".join(rows)}
    boards = [(strategy, board_with(benchmark, pack, strategy=strategy, **common)) for strategy in known]
    body = [_cells(strategy, board, row) for strategy, board in boards for row in board.of_the_paper]
    own = [
        OwnCells(_cells(strategy, board, row), _counts(row, PAPER_COLUMNS), row.kind)
        for strategy, board in boards
        for row in (*board.pinned, *board.ranked)
    ]
    printed = [row for row in benchmark.published if row.source == source]
    marks = [_marked(row, cell) for row in printed for cell in row.cells if cell.note]
    what = "negative/positive accuracy in %" if columns == "halves" else "accuracy in %"
    heads = ("Strategy", "Model", *(titles[column] for column in PAPER_COLUMNS))
    return with_own_rows(Table(f"GRASP, {source}: Level 1, {what}", heads, tuple(body), tuple(marks)), own)


def _marked(row: PublishedRow, cell: PublishedCell) -> str:
    return f"{row.strategy}, {row.name} {row.parameters}, {cell.column} {cell.polarity}: {cell.note}"


def board_with(benchmark: Benchmark, pack: Pack | None, **parameters: str) -> Board:
    """The board with these parameters, on this pack if there is one."""
    return board_of(view_of(benchmark, {"pack": name_of(pack), **parameters}))


def name_of(pack: Pack | None) -> str:
    return pack.name if pack else ""


def _cells(strategy: str, board: Board, row: BoardRow) -> tuple[Value, ...]:
    cells = (row.cells.get(column) for column in PAPER_COLUMNS)
    return (strategy, row.full_name, *(short_text(board.view, cell).split(" (")[0] for cell in cells))


def _counts(row: BoardRow, columns: Iterable[str]) -> Iterator[int]:
    return (cell.n for column in columns if (cell := row.cell(column)) and cell.n)


def grasp_text_only(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """Level 2 from descriptions alone: the paper's figures and those measured here."""
    board = board_with(benchmark, pack, level="2", strategy="text", rows=",".join(rows))
    printed_there = published_rows(board.view) if "published" in rows else []  # in the paper's order
    body = tuple((row.full_name, _overall(row)) for row in printed_there)
    own = [
        OwnCells((row.full_name, _overall(row)), _counts(row, ("overall",)), row.kind)
        for row in (*board.pinned, *board.ranked)
    ]
    notes = tuple(sorted({row.note for row in benchmark.published if row.strategy == "text" and row.note}))
    printed = Table("GRASP, Level 2 from descriptions alone, accuracy in %", ("Model", "Accuracy %"), body, notes)
    return with_own_rows(printed, own)


def _overall(row: BoardRow) -> Value:
    if row.overall is None:
        return None
    return row.overall.published_text or cell_in_per_cent(row.overall)


Layout = Callable[[Benchmark, Pack | None, tuple[str, ...]], Table]
LAYOUTS: dict[str, tuple[str, Layout]] = {
    "grasp-table-1": ("grasp", grasp_table_1),
    "grasp-table-2": ("grasp", partial(grasp_level_1, source="Table 2", columns="accuracy")),
    "grasp-table-3": ("grasp", partial(grasp_level_1, source="Table 3", columns="halves")),
    "grasp-text-only": ("grasp", grasp_text_only),
    **{
        f"{slug}-{table.name}": (slug, partial(printed_table, name=table.name))
        for slug in ("craft", "pacs", "giraffe")
        for table in BUILT_IN[slug].tables
    },
    **{f"human-vs-model:{slug}": (slug, human_vs_model) for slug in BUILT_IN},
}


def layouts() -> dict[str, tuple[str, Layout]]:
    """Every table by name, with those of benchmarks that are files."""
    files = BENCHMARKS.files()
    compared = {f"human-vs-model:{file.slug}": (file.slug, human_vs_model) for file in files}
    return LAYOUTS | compared | {f"board:{one.slug}": (one.slug, own_board) for one in files}


def own_board(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """The default board of a benchmark defined in a file, with simulated people beside real ones."""
    kinds = (*rows, *(("simulated",) if "human" in rows else ()))
    return board_table(board_with(benchmark, pack, rows=",".join(kinds)))


def layouts_of(slug: str) -> dict[str, str]:
    """The names of a benchmark's tables, and their titles on pages: `grasp-table-1` is "Table 1"."""
    return {layout: title_of(layout, slug) for layout, (of, _) in layouts().items() if of == slug}


def title_of(layout: str, slug: str) -> str:
    if not is_of_a_paper(layout):
        return "Board" if layout.startswith("board:") else "People and models"
    return layout.removeprefix(f"{slug}-").replace("-", " ").capitalize()


class UnknownLayout(BadAddress):
    """The table, pack or kind of row does not exist; the message lists those that do."""


def is_of_a_paper(layout: str) -> bool:
    """Whether this table is from a paper; by default such a table has only the paper's rows."""
    return not layout.startswith(("human-vs-model:", "board:"))


def takes_own_rows(layout: str) -> bool:
    """Whether rows of this site can be added to this paper's table; at least one column must be measured here."""
    slug, _ = layouts()[layout]
    benchmark = find_benchmark(slug)
    printed = next((table for table in benchmark.tables if layout == f"{slug}-{table.name}"), None)
    if slug == "grasp" or printed is None:
        return is_of_a_paper(layout) and layout != "grasp-table-1"
    return any(is_measured(benchmark, column) for column in printed.columns)


def default_rows(layout: str) -> tuple[str, ...]:
    return PAPER_ALONE if is_of_a_paper(layout) else ROWS


def table_named(layout: str, *, pack_name: str = "", rows: tuple[str, ...] | None = None) -> Table:
    """The table of this layout; by default of the newest pack with rows, and a paper's table with its own rows only."""
    known = layouts()
    if layout not in known:
        raise UnknownLayout(f"there is no table {layout!r}; there is: {', '.join(known)}")
    rows = default_rows(layout) if rows is None else rows
    wrong = [kind for kind in rows if kind not in ROWS]
    if wrong:
        raise UnknownLayout(f"--rows {wrong[0]!r} does not exist; there is: {', '.join(ROWS)}")
    slug, make = known[layout]
    benchmark = find_benchmark(slug)
    pack = pack_named(slug, pack_name, ways_in(benchmark, layout))
    query = urlencode({"rows": ",".join(rows)} | ({"pack": pack.name} if pack else {}))
    path = f"/leaderboard/{slug}/tables/{layout}/?{query}"
    cautious = any(value.caution for value in benchmark.facet("test").values)
    caution = "items under the authors' caution counted in" if cautious else ""
    made_of = provenance.of(benchmark, path, pack=pack, layout=layout, rows=", ".join(rows), caution=caution)
    made = make(benchmark, pack, rows)
    return replace(made, provenance=made_of, caption=made.caption or tuple(_caption(benchmark, pack, layout, made)))


def _caption(benchmark: Benchmark, pack: Pack | None, layout: str, table: Table) -> Iterator[str]:
    """What the figures of a table are: whose, of which clips, with which chance level."""
    if is_of_a_paper(layout):
        yield "Reported figures as printed, in per cent; intervals only where the paper prints them"
    if pack and (table.ruled or not is_of_a_paper(layout)):
        ends = "they are on the leaderboard" if is_of_a_paper(layout) else "low to high"
        split = "split as the row says, else all questions"
        yield f"This site: pack {pack.title}, {split}; n: questions answered; 95 % intervals: {ends}"
    chances = {level.chance for level in benchmark.levels}
    chance = chances.pop() if len(chances) == 1 else None
    yield "Chance differs by column" if chance is None else f"Chance {percent(chance)} %"


def ways_in(benchmark: Benchmark, layout: str) -> tuple[str, ...]:
    """The strategies of all levels in a paper's table; () if the layout is no such table."""
    found = (table for table in benchmark.tables if layout == f"{benchmark.slug}-{table.name}")
    levels = {column.place["level"] for table in found for column in table.columns if "level" in column.place}
    return tuple(way for level in benchmark.levels if level.number in levels for way in level.strategies)


def pack_named(slug: str, name: str, strategies: tuple[str, ...] = ()) -> Pack | None:
    """The pack with this name; without a name the newest with rows of these strategies, preferably also human ones."""
    available = available_packs(slug)
    if name and not available.find(name):
        known = ", ".join(pack.name for pack in available.packs) or "none yet"
        raise UnknownLayout(f"{slug} has no pack {name!r}; there is: {known}")
    if name:
        return available.find(name)
    with_people = _pack_with_people(slug)
    has_people = with_people is not None and available.has_rows(with_people, strategies)
    return with_people if has_people else available.default_pack(strategies)


def _pack_with_people(slug: str) -> Pack | None:
    """The newest pack with both human and model rows."""
    people = Standing.objects.filter(pack__benchmark=slug, kind=RowKind.HUMAN).values("pack_id")
    runs = Run.objects.on_the_board().values("pack_id")
    return Pack.objects.filter(pk__in=people).filter(pk__in=runs).order_by("-created_at").first()
