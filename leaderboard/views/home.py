"""The home page: each benchmark with its gap between humans and models, and recent changes."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Pack
from evaluation.models import Run
from evaluation.runs.pages import strategy_title
from leaderboard.charts import grasp_figure_3
from leaderboard.charts.drawing import drawing_of
from leaderboard.items.item_detail import teaser_of
from leaderboard.models import RowKind, Snapshot, Standing
from leaderboard.standings.gap_summary import gaps_of
from leaderboard.views.boards import productions_of

MOST = 8
NOT_SIMULATED = "human,run,uploaded"


def home(request: HttpRequest) -> HttpResponse:
    """The home page."""
    return render(
        request,
        "leaderboard/home.html",
        {"shown": [entry_of(benchmark) for benchmark in BENCHMARKS.values()], "changes": latest_changes()},
    )


def entry_of(benchmark: Benchmark) -> dict:
    """Template context of one benchmark on the home page."""
    figure = grasp_figure_3.figure_3(benchmark, rows=NOT_SIMULATED) if grasp_figure_3.has_figure_3(benchmark) else None
    return {
        "benchmark": benchmark,
        "gaps": gaps_of(benchmark),
        "teaser": teaser_of(benchmark),
        "making": productions_of(benchmark.slug),
        "figure": figure,
        "drawing": drawing_of(grasp_figure_3.chart_of(figure)) if figure else None,
    }


@dataclass(frozen=True)
class RecentChange:
    """One recent event: its time, kind, name and link, and a score if there is one."""

    at: datetime
    what: str
    name: str
    link: str
    score: float | None = None


def latest_changes() -> list[RecentChange]:
    """The eight latest changes, newest first; simulated people don't count."""
    found = [*_runs(), *_studies(), *_packs(), *_snapshots()]
    return sorted(found, key=lambda change: change.at, reverse=True)[:MOST]


def _title(slug: str) -> str:
    return BENCHMARKS[slug].title if slug in BENCHMARKS else slug


def _runs() -> Iterator[RecentChange]:
    rows = Standing.objects.filter(run__in=Run.objects.on_the_board(), run__finished_at__isnull=False)
    own = (
        row
        for row in rows.select_related("run__pack", "pack").order_by("-run__finished_at", "pk")[: 3 * MOST]
        if row.run and row.split == row.run.split
    )
    for row in own:
        assert row.run is not None
        assert row.run.finished_at is not None
        what = _("uploaded") if row.kind == RowKind.UPLOADED else _("evaluated here")
        name = f"{row.name}, {_title(row.pack.benchmark)}, {strategy_title(row.run)}"
        yield RecentChange(row.run.finished_at, what, name, row.run.get_absolute_url(), row.overall.get("score"))


def _studies() -> Iterator[RecentChange]:
    rows = Standing.objects.filter(kind=RowKind.HUMAN).select_related("trial", "pack").order_by("-computed_at")
    seen = set()
    for row in rows[:MOST]:
        if row.trial and row.trial_id not in seen:
            seen.add(row.trial_id)
            name = f"{row.trial.title}, {_title(row.pack.benchmark)}"
            yield RecentChange(
                row.computed_at, _("people"), name, row.trial.get_absolute_url(), row.overall.get("score")
            )


def _packs() -> Iterator[RecentChange]:
    for pack in Pack.objects.order_by("-created_at").defer("problems")[:MOST]:
        if pack.benchmark in BENCHMARKS:
            link = f"{reverse('benchmark', args=[pack.benchmark])}?pack={pack.name}"
            yield RecentChange(pack.created_at, _("clips"), f"{pack.title}, {_title(pack.benchmark)}", link)


def _snapshots() -> Iterator[RecentChange]:
    for snapshot in Snapshot.objects.order_by("-created_at").defer("content")[:MOST]:
        yield RecentChange(snapshot.created_at, _("snapshot"), snapshot.slug, snapshot.get_absolute_url())
