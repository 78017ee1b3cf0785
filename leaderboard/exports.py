"""The papers' tables and our own, by name: each layout is a function that gives a table."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from urllib.parse import urlencode

from benchmarks.definition import Benchmark, PublishedCell, PublishedRow
from benchmarks.models import ItemFacet, Pack
from benchmarks.registry import BENCHMARKS, find_benchmark
from evaluation.models import Run
from humantrials.models import Trial
from leaderboard import provenance
from leaderboard.address import shelf_of, view_of
from leaderboard.board import BoardRow
from leaderboard.comparing import by_value, difference_of, pairs_of
from leaderboard.marks import chance_of_as_much
from leaderboard.models import RowKind, Standing
from leaderboard.printed import table_of as printed_table
from leaderboard.rows import board_of
from leaderboard.tables import Table, Value, full_name, in_per_cent, short_text, text_of
from measures.multiplicity import holm

ROWS = ("published", "uploaded", "run", "human")
PAPER_COLUMNS = ("Shape", "Color", "Movement", "Direction", "RelationalPosition", "Ordering")


def human_vs_model(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """People beside every model on the items that both answered, overall and by test."""
    heads = ("Model", "Kind", "Strategy", "Condition", "Test", "n", "People %", "Model %", "Difference", "Low", "High",
             "p", "p (Holm)")  # fmt: skip
    found = _with_holm(_comparisons(benchmark, pack, rows)) if pack else ()
    notes = (
        *(() if found else ("No pack has both people and models yet: there is nothing to compare.",)),
        "Paired by item, on the items of one pack that both answered (n); difference = people - model, in points.",
        "95 % interval: t on clips. People: majority of votes; simulated people are left out.",
        "p: exact McNemar where each clip has one answer of each, else sign flips by clip; Holm over this table.",
    )
    printed = tuple((*(text_of(value) for value in row[:-2]), *map(chance_of_as_much, row[-2:])) for row in found)
    return Table(f"{benchmark.title}: people and models", heads, found, notes, heads, printed)


def _with_holm(rows: Iterable[tuple[Value, ...]]) -> tuple[tuple[Value, ...], ...]:
    """Each row ends in its p-value; the one beside it holds for all rows together."""
    found = list(rows)
    return tuple((*row, p) for row, p in zip(found, holm([row[-1] for row in found]), strict=True))  # type: ignore[misc]


def _comparisons(benchmark: Benchmark, pack: Pack, rows: tuple[str, ...]) -> Iterator[tuple[Value, ...]]:
    people = Standing.objects.filter(pack=pack, kind=RowKind.HUMAN).select_related("trial")
    for human in people:
        models = Standing.objects.filter(pack=pack, split=human.split, condition=human.condition, kind__in=rows)
        for model in models.exclude(run=None).select_related("run__model").order_by("name", "strategy"):
            if human.trial and model.run and human.split == widest_split(human.trial):
                yield from _pair_rows(benchmark, human.trial, model)


def widest_split(trial: Trial) -> str:
    """The split that holds most of a trial's items, so that each pair of rows is compared once."""
    standings = trial.standings.all()
    return max(standings, key=lambda one: (one.overall.get("n", 0), one.split == "all")).split


def _pair_rows(benchmark: Benchmark, trial: Trial, model: Standing) -> Iterator[tuple[Value, ...]]:
    assert model.run is not None
    pairs = pairs_of(trial, model.run, model.split, model.condition)
    if not pairs:
        return
    who = (model.name, model.kind, model.strategy, model.condition)
    groups = by_value(pairs, "test")
    ordered = [value.value for value in benchmark.facet("test").values if value.value in groups]
    for test, found in (("overall", pairs), *((test, groups[test]) for test in ordered)):
        both = difference_of(found)
        ends = (both.interval.low, both.interval.high)
        shares = (both.first, both.second, both.value, *ends)
        yield (*who, test, both.n, *(in_per_cent(share) for share in shares), both.p)


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
    benchmark, pack = find_benchmark(slug), pack_named(slug, pack_name)
    query = urlencode({"rows": ",".join(rows)} | ({"pack": pack.name} if pack else {}))
    path = f"/leaderboard/{slug}/tables/{layout}/?{query}"
    cautious = any(value.caution for value in benchmark.facet("test").values)
    caution = "items under the authors' caution counted in" if cautious else ""
    made_of = provenance.of(benchmark, path, pack=pack, layout=layout, rows=", ".join(rows), caution=caution)
    return replace(make(benchmark, pack, rows), provenance=made_of)


def pack_named(slug: str, name: str) -> Pack | None:
    shelf = shelf_of(slug)
    if name and not shelf.find(name):
        known = ", ".join(pack.name for pack in shelf.packs) or "none yet"
        raise UnknownLayout(f"{slug} has no pack {name!r}; there is: {known}")
    return shelf.find(name) if name else _pack_with_people(slug) or shelf.default_pack()


def _pack_with_people(slug: str) -> Pack | None:
    """The newest pack that people and models answered."""
    people = Standing.objects.filter(pack__benchmark=slug, kind=RowKind.HUMAN).values("pack_id")
    runs = Run.objects.on_the_board().values("pack_id")
    return Pack.objects.filter(pk__in=people).filter(pk__in=runs).order_by("-created_at").first()
