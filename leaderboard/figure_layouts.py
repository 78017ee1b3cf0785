"""The papers' figures and our own, by name: each layout is a function that gives a file."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks import spreads
from benchmarks.definition import Benchmark
from benchmarks.models import Pack
from benchmarks.registry import BENCHMARKS, find_benchmark
from leaderboard import chart_files, charts, figure_files, plots, scene_sheet, spread_files
from leaderboard.address import shelf_of, view_of
from leaderboard.exports import UnknownLayout, pack_named, table_named
from leaderboard.people_chart import of_pairs

NOT_SIMULATED = "human,run,uploaded"


@dataclass(frozen=True)
class Made:
    """A figure as a file; `drawn` is how many answerers stand in it."""

    title: str
    content: bytes
    drawn: int


def figure_3(benchmark: Benchmark, pack: Pack | None, wanted: str) -> Made:
    figure = plots.figure_3(benchmark, pack)
    return Made(figure.title, figure_files.WRITERS[wanted](figure), len(figure.bars))


def concepts(benchmark: Benchmark, pack: Pack | None, wanted: str) -> Made:
    """By concept where a level groups by it, else by what its first board shows."""
    level = next((level for level in benchmark.levels if "concept" in level.groups), benchmark.levels[0])
    group = "concept" if "concept" in level.groups else level.groups[0]
    given = {"level": level.number, "group": group, "rows": NOT_SIMULATED} | ({"pack": pack.name} if pack else {})
    shelf = shelf_of(benchmark.slug)
    return _of_chart(charts.profile(view_of(benchmark, given, shelf), shelf), wanted)


def human_vs_model(benchmark: Benchmark, pack: Pack | None, wanted: str) -> Made:
    layout = f"human-vs-model:{benchmark.slug}"
    table = table_named(layout, pack_name=pack.name if pack else "")
    return _of_chart(of_pairs(table, table.title), wanted)


def pacs_figure_4(benchmark: Benchmark, pack: Pack | None, wanted: str) -> Made:
    """Accuracy with and without sound by material (a) and by property (b), for the best models of the board."""
    given = {"level": "1", "condition": "audio", "blocks": "condition", "rows": NOT_SIMULATED}
    given |= {"pack": pack.name} if pack else {}
    shelf = shelf_of(benchmark.slug)
    views = [view_of(benchmark, given | {"group": group}, shelf) for group in ("material", "property")]
    return _of_chart(charts.with_and_without_sound(views), wanted)


def spread_of(layout: str, benchmark: Benchmark, pack: Pack | None, wanted: str) -> Made:
    if pack is None:
        raise UnknownLayout(f"{layout} is drawn from the items of a pack, and no pack of {benchmark.title} is here yet")
    spread = spreads.SPREADS[layout](benchmark, pack)
    return Made(spread.title, spread_files.WRITERS[wanted](spread), sum(len(panel.bars) for panel in spread.panels))


def _of_chart(chart: charts.Chart, wanted: str) -> Made:
    return Made(chart.title, chart_files.WRITERS[wanted](chart), len(chart.traces))


def scenes_of(benchmark: Benchmark, pack: Pack | None, wanted: str) -> Made:
    """The scenes as the benchmark makes them; no pack changes them."""
    sheet = scene_sheet.sheet_of(benchmark)
    return Made(sheet.title, scene_sheet.WRITERS[wanted](sheet), len(sheet.pictures))


LAYOUTS: dict[str, Callable[[Pack | None, str], Made]] = {
    "grasp-figure-3": partial(figure_3, find_benchmark("grasp")),
    "craft-figure-2": partial(scenes_of, find_benchmark("craft")),
    "pacs-figure-4": partial(pacs_figure_4, find_benchmark("pacs")),
    **{name: partial(spread_of, name, find_benchmark(name.partition("-")[0])) for name in spreads.SPREADS},
    **{f"human-vs-model:{slug}": partial(human_vs_model, benchmark) for slug, benchmark in BENCHMARKS.items()},
    **{f"concepts:{slug}": partial(concepts, benchmark) for slug, benchmark in BENCHMARKS.items()},
}


def figure_named(layout: str, pack_name: str, wanted: str) -> Made:
    """The figure of this layout as a file; UnknownLayout says what there is."""
    if layout not in LAYOUTS:
        raise UnknownLayout(f"there is no figure {layout!r}; there is: {', '.join(LAYOUTS)}")
    slug = layout.split("-figure-")[0].rpartition(":")[2]
    return LAYOUTS[layout](pack_named(slug, pack_name), wanted)
