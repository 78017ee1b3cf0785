"""What is new on the site, newest first: rows, studies, packs and frozen boards."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _

from benchmarks.models import Pack
from benchmarks.registry import BENCHMARKS
from evaluation.cards import strategy_title
from evaluation.models import Run
from leaderboard.models import RowKind, Snapshot, Standing

MOST = 8


@dataclass(frozen=True)
class Change:
    """One thing that happened: when, what kind, what it is called, and where it stands."""

    at: datetime
    what: str
    name: str
    link: str
    score: float | None = None


def latest_changes() -> list[Change]:
    """At most eight; simulated people are no news."""
    found = [*_runs(), *_studies(), *_packs(), *_snapshots()]
    return sorted(found, key=lambda change: change.at, reverse=True)[:MOST]


def _title(slug: str) -> str:
    return BENCHMARKS[slug].title if slug in BENCHMARKS else slug


def _runs() -> Iterator[Change]:
    rows = Standing.objects.filter(run__in=Run.objects.on_the_board(), run__finished_at__isnull=False)
    own = (row for row in rows.select_related("run__pack", "pack").order_by("-run__finished_at", "pk")[: 3 * MOST]
           if row.run and row.split == row.run.split)  # fmt: skip
    for row in own:
        assert row.run is not None
        assert row.run.finished_at is not None
        what = _("uploaded") if row.kind == RowKind.UPLOADED else _("run here")
        name = f"{row.name}, {_title(row.pack.benchmark)}, {strategy_title(row.run)}"
        yield Change(row.run.finished_at, what, name, row.run.get_absolute_url(), row.overall.get("score"))


def _studies() -> Iterator[Change]:
    rows = Standing.objects.filter(kind=RowKind.HUMAN).select_related("trial", "pack").order_by("-computed_at")
    seen = set()
    for row in rows[:MOST]:
        if row.trial and row.trial_id not in seen:
            seen.add(row.trial_id)
            name = f"{row.trial.title}, {_title(row.pack.benchmark)}"
            yield Change(row.computed_at, _("people"), name, row.trial.get_absolute_url(), row.overall.get("score"))


def _packs() -> Iterator[Change]:
    for pack in Pack.objects.order_by("-created_at").defer("problems")[:MOST]:
        if pack.benchmark in BENCHMARKS:
            link = f"{reverse('benchmark', args=[pack.benchmark])}?pack={pack.name}"
            yield Change(pack.created_at, _("clips"), f"{pack.title}, {_title(pack.benchmark)}", link)


def _snapshots() -> Iterator[Change]:
    for snapshot in Snapshot.objects.order_by("-created_at").defer("content")[:MOST]:
        yield Change(snapshot.created_at, _("frozen board"), snapshot.slug, snapshot.get_absolute_url())
