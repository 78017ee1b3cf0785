"""The home page: the answer, its chart, a clip to judge, the leaderboards and recent changes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.syndication.views import Feed
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse, reverse_lazy
from django.utils.feedgenerator import Atom1Feed

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.page_cache import cached_value
from benchmarks.models import Pack
from benchmarks.templatetags.figures import figure_key
from evaluation.models import Run
from evaluation.runs.pages.rows import strategy_title
from humantrials.models import Participant
from leaderboard.board.overviews.board_list import board_lines
from leaderboard.board.overviews.people_and_models import (
    Skill,
    answer_to,
    blocks_of,
    default_boards,
    key_of_strips,
    skills_of,
)
from leaderboard.board.work_in_progress import work_in_progress
from leaderboard.items.item_detail import Teaser
from leaderboard.items.sample_questions import sample_questions
from leaderboard.models import RowKind, Snapshot, Standing
from leaderboard.pages.boards import version_of_lists
from leaderboard.standings.human_rows import row_key

MOST = 8
HERO, HERO_FILM, HERO_POSTER = BENCHMARKS["grasp"], "clips/grasp/home.mp4", "clips/grasp/home.webp"


def home(request: HttpRequest) -> HttpResponse:
    """The home page; its results are cached until a figure, a pack, a seal or an open study changes.

    `clip` and `answer` are a visitor's try of a question; nothing of it is stored.
    """
    parts = cached_value("home", version=version_of_lists(), make=parts_of_home)
    samples, clip, answer = parts["samples"], request.GET.get("clip", ""), request.GET.get("answer", "")
    sample = samples.get(f"{clip}/{answer}") or samples.get(f"{clip}/") or samples.get("1/", "")
    made = [(BENCHMARKS[slug], making) for slug, making in work_in_progress().items() if making]
    context = {"changes": latest_changes(), "is_making": bool(made), "made": made, "sample": sample}
    return render(request, "leaderboard/home.html", parts | context)


def parts_of_home() -> dict[str, Any]:
    """The parts that are cached: the answer, the chart, the list of boards, each sample before and after."""
    found = skills_of(default_boards())
    return {
        "answer": answer_to(found),
        "chart": render_to_string("leaderboard/parts/home_chart.html", chart_of(found)),
        "boards": render_to_string("leaderboard/parts/board_list.html", {"lines": board_lines()}),
        "samples": dict(_samples()),
    }


def chart_of(found: Sequence[Skill]) -> dict[str, object]:
    """Template context of the chart of these skills."""
    blocks = blocks_of(found)
    looks = {look for block in blocks for look in block.looks}
    return {"blocks": blocks, "keys": key_of_strips(looks, has_chance=True)}


def _samples() -> Iterator[tuple[str, str]]:
    """(`CLIP/ANSWER`, HTML) of each sample question, unanswered and with each answer; the film of the site if none."""
    questions = sample_questions()
    for number, question in enumerate(questions, 1):
        context = {"question": question, "number": number, "of": len(questions), "next": number % len(questions) + 1}
        for option in (None, *question.options):
            facts = {**context, "answer": option, "is_right": option == question.right}
            yield (
                f"{number}/{option.value if option else ''}",
                render_to_string("leaderboard/parts/sample.html", facts),
            )
    if not questions:
        hero = Teaser(reverse("benchmark", args=[HERO.slug]), static(HERO_FILM), static(HERO_POSTER))
        yield "1/", render_to_string("leaderboard/parts/sample_film.html", {"hero": hero, "title": HERO.title})


@dataclass(frozen=True)
class RecentChange:
    """One recent event: its time, kind, name and link, and a score if there is one."""

    at: datetime
    what: str
    name: str
    link: str
    score: float | None = None
    key: str = ""  # the name of the score
    look: str = ""  # of the badge of a row, which says where its figures come from


def latest_changes(most: int = MOST) -> list[RecentChange]:
    """The latest changes, newest first; simulated people don't count."""
    found = [*_runs(most), *_studies(most), *_packs(most), *_snapshots(most)]
    return sorted(found, key=lambda change: change.at, reverse=True)[:most]


def _title(slug: str) -> str:
    return BENCHMARKS[slug].title if slug in BENCHMARKS else slug


def _runs(most: int) -> Iterator[RecentChange]:
    rows = Standing.objects.filter(run__in=Run.objects.on_the_board(), run__finished_at__isnull=False)
    own = (
        row
        for row in rows.select_related("run__pack", "pack")
        .defer("cells")
        .order_by("-run__finished_at", "pk")[: 3 * most]
        if row.run and row.split == row.run.split
    )
    for row in own:
        assert row.run is not None
        assert row.run.finished_at is not None
        what = row.row_kind.words
        name = f"{row.name}, {_title(row.pack.benchmark)}, {strategy_title(row.run)}"
        key = figure_key(f"run-{row.run_id}", row.split)
        look, link = row.row_kind.badge, row.run.get_absolute_url()
        yield RecentChange(row.run.finished_at, what, name, link, row.overall.get("score"), key, look)


def _studies(most: int) -> Iterator[RecentChange]:
    """Studies by when their last participant finished; standings are computed again whenever a rule changes."""
    finished = Participant.objects.filter(trial=OuterRef("trial"), finished_at__isnull=False).order_by("-finished_at")
    rows = (
        Standing.objects.filter(kind=RowKind.HUMAN, trial__isnull=False)
        .select_related("trial", "pack")
        .defer("cells")
        .annotate(at=Coalesce(Subquery(finished.values("finished_at")[:1]), F("trial__created_at")))
    )
    seen: set[int | None] = set()
    for row in rows.order_by("-at", "pk"):
        if row.trial and row.trial_id not in seen and len(seen) < most:
            seen.add(row.trial_id)
            name = f"{row.trial.title}, {_title(row.pack.benchmark)}"
            key = figure_key(row_key(row.trial, row.condition), row.split)
            yield RecentChange(row.at, "people", name, row.trial.get_absolute_url(), row.overall.get("score"), key)


def _packs(most: int) -> Iterator[RecentChange]:
    for pack in Pack.objects.order_by("-created_at").defer("problems", "changes")[:most]:
        if pack.benchmark in BENCHMARKS:
            link = f"{reverse('benchmark', args=[pack.benchmark])}?pack={pack.name}"
            yield RecentChange(pack.created_at, "clips", f"{pack.title}, {_title(pack.benchmark)}", link)


def _snapshots(most: int) -> Iterator[RecentChange]:
    for snapshot in Snapshot.objects.order_by("-created_at").defer("content")[:most]:
        yield RecentChange(snapshot.created_at, "snapshot", snapshot.slug, snapshot.get_absolute_url())


IN_FEED = 50


class Changes(Feed):
    """Up to fifty changes, newest first: runs, uploads, people's results, packs and snapshots."""

    feed_type = Atom1Feed
    title = "benchsite: latest changes"
    subtitle = "New rows of the leaderboards, results of human studies, packs of clips and snapshots."
    link = reverse_lazy("home")

    def items(self) -> list[RecentChange]:
        return latest_changes(IN_FEED)

    def item_title(self, item: RecentChange) -> str:
        return f"{item.name} ({item.what})"

    def item_description(self, item: RecentChange) -> str:
        return item.what

    def item_link(self, item: RecentChange) -> str:
        return item.link

    def item_updateddate(self, item: RecentChange) -> datetime:
        return item.at
