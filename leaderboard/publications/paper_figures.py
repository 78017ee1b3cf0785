"""The papers' figures and our own by name; each layout is a function that returns a figure."""

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.contrib.staticfiles import finders
from PIL import Image

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS, BUILT_IN, find_benchmark
from benchmarks.gallery.distributions import SPREADS, DistributionPanel, QuestionSpread
from benchmarks.models import Pack
from leaderboard.board.query import view_of
from leaderboard.charts.board_charts import of_pairs, profile, with_and_without_sound
from leaderboard.charts.chart import LISTED, Axis, Chart, Panels, Point, Trace
from leaderboard.charts.grasp_figure_3 import chart_of, figure_3
from leaderboard.charts.rendering.drawing import drawing_of, drawing_of_panels
from leaderboard.charts.rendering.plotly_figure import plotly_figure, plotly_panels
from leaderboard.charts.rendering.shapes import Drawing, Label, Picture
from leaderboard.charts.rendering.writers import file_of
from leaderboard.exports.table import Table
from leaderboard.publications.paper_tables import UnknownLayout, board_with, name_of, pack_named, table_named
from leaderboard.row_kinds import OURS

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

NOT_SIMULATED = ",".join(kind for kind in OURS if not kind.is_simulated)
ACROSS, EDGE, GAP, HEAD = 5, 256, 16, 22  # in the drawing's units


@dataclass(frozen=True)
class PaperFigure:
    """A figure: its drawing, its Plotly form if it has one, and the number of rows shown."""

    drawing: Drawing
    plotly: "Figure | None"
    rows: int


@dataclass(frozen=True)
class Made:
    """A figure as a file; `drawn` is the number of answerers shown."""

    title: str
    content: bytes
    count: int


def grasp_figure_3(benchmark: Benchmark, pack: Pack | None) -> PaperFigure:
    return _of_chart(chart_of(figure_3(benchmark, pack=name_of(pack))))


def concepts(benchmark: Benchmark, pack: Pack | None) -> PaperFigure:
    """Profile by concept if a level can be grouped by it, else by the default group of the first level."""
    level = next((level for level in benchmark.levels if "concept" in level.groups), benchmark.levels[0])
    group = "concept" if "concept" in level.groups else level.groups[0]
    return _of_chart(profile(board_with(benchmark, pack, level=level.number, group=group, rows=NOT_SIMULATED)))


def human_vs_model(benchmark: Benchmark, pack: Pack | None) -> PaperFigure:
    layout = f"human-vs-model:{benchmark.slug}"
    table = table_named(layout, pack_name=name_of(pack))
    return _of_chart(of_pairs(table, table.title))


def pacs_figure_4(benchmark: Benchmark, pack: Pack | None) -> PaperFigure:
    """Accuracy with and without sound by material (a) and by property (b), for the best models of the board."""
    parameters = {"level": "1", "condition": "audio", "pack": name_of(pack)}
    views = [view_of(benchmark, parameters | {"group": group}) for group in ("material", "property")]
    return _of_chart(with_and_without_sound(views))


def spread_of(layout: str, benchmark: Benchmark, pack: Pack | None) -> PaperFigure:
    if pack is None:
        raise UnknownLayout(f"{layout} is drawn from the items of a pack, and no pack of {benchmark.title} is here yet")
    panels = panels_of(SPREADS[layout](benchmark, pack))
    rows = sum(len(chart.y.ticks) for chart in panels.charts)
    return PaperFigure(drawing_of_panels(panels), plotly_panels(panels), rows)


def craft_figure_2(benchmark: Benchmark, pack: Pack | None) -> PaperFigure:
    """The sheet of scenes; it is the same for all packs."""
    sheet = sheet_of(benchmark)
    return PaperFigure(sheet, None, len(sheet.pictures))


def _of_chart(chart: Chart) -> PaperFigure:
    rows = len(chart.traces)
    return PaperFigure(drawing_of(chart), plotly_figure(chart), rows)


LAYOUTS: dict[str, Callable[[Pack | None], PaperFigure]] = {
    "grasp-figure-3": partial(grasp_figure_3, find_benchmark("grasp")),
    "craft-figure-2": partial(craft_figure_2, find_benchmark("craft")),
    "pacs-figure-4": partial(pacs_figure_4, find_benchmark("pacs")),
    **{name: partial(spread_of, name, find_benchmark(name.partition("-")[0])) for name in SPREADS},
    **{f"human-vs-model:{slug}": partial(human_vs_model, benchmark) for slug, benchmark in BUILT_IN.items()},
    **{f"concepts:{slug}": partial(concepts, benchmark) for slug, benchmark in BUILT_IN.items()},
}


def layouts() -> dict[str, Callable[[Pack | None], PaperFigure]]:
    """Every figure by name, with those of benchmarks that are files."""
    return LAYOUTS | {f"human-vs-model:{file.slug}": partial(human_vs_model, file) for file in BENCHMARKS.files()}


def figure_named(layout: str, pack_name: str, wanted: str) -> Made:
    """The figure of this layout as a file; UnknownLayout lists the layouts."""
    known = layouts()
    if layout not in known:
        raise UnknownLayout(f"there is no figure {layout!r}; there is: {', '.join(known)}")
    slug = layout.split("-figure-")[0].rpartition(":")[2]
    figure = known[layout](pack_named(slug, pack_name))
    return Made(figure.drawing.title, file_of(figure.drawing, wanted, figure.plotly), figure.rows)


def sheet_of(benchmark: Benchmark) -> Drawing:
    """A sheet of the definition's scenes that have a picture, in its order."""
    found = [
        (value.title, finders.find(f"sheets/{benchmark.slug}/{value.value}.webp"))
        for value in benchmark.facet("scene").values
    ]
    known = [(title, Path(path)) for title, path in found if isinstance(path, str)]
    places = [
        (GAP + place % ACROSS * (EDGE + GAP), HEAD + place // ACROSS * (EDGE + GAP + HEAD))
        for place in range(len(known))
    ]
    return Drawing(
        title=f"{benchmark.title}: its scenes",
        about=f"{', '.join(title for title, _ in known)}.",
        width=GAP + ACROSS * (EDGE + GAP),
        height=max((y + EDGE + GAP for _, y in places), default=GAP),
        labels=tuple(Label(x, y - 7, title, look="text") for (title, _), (x, y) in zip(known, places, strict=True)),
        pictures=tuple(Picture(x, y, EDGE, _packed(path)) for (_, path), (x, y) in zip(known, places, strict=True)),
    )


def _packed(path: Path) -> str:
    """The picture as a data URL, so that the file needs no other."""
    packed = io.BytesIO()
    Image.open(path).save(packed, "PNG")
    return "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()


PANEL_WIDTH = 450


def panels_of(spread: QuestionSpread) -> Panels:
    """Panels with a bar chart for each distribution."""
    return Panels(spread.title, tuple(_bars(panel) for panel in spread.panels), spread.note)


def _bars(panel: DistributionPanel) -> Chart:
    points = tuple(
        Point(count, place, f"{what} {count}", value=str(count)) for place, (what, count) in enumerate(panel.bars)
    )
    ticks = tuple((place, what) for place, (what, _) in enumerate(panel.bars))
    return Chart(
        title=panel.title,
        form=LISTED,
        x=Axis("", 0, max((count for _, count in panel.bars), default=1), ()),
        y=Axis("", -0.5, len(ticks) - 0.5, ticks),
        traces=(Trace(panel.title, points),),
        table=Table(panel.title, ("What", "How many"), panel.bars),
        has_bars=True,
        width=PANEL_WIDTH,
    )
