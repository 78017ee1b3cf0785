"""The home page: the results on each benchmark, level by level, and recent changes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.syndication.views import Feed
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse, reverse_lazy
from django.utils.feedgenerator import Atom1Feed
from django.utils.safestring import mark_safe

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.page_cache import cached_body, version_of_sight
from benchmarks.models import Pack
from benchmarks.templatetags.figures import figure_key
from evaluation.models import Run
from evaluation.runs.pages.rows import strategy_title
from humantrials.models import Participant
from leaderboard.board.cache import version_of
from leaderboard.board.overviews.level_results import LevelResults, all_levels, hidden_studies
from leaderboard.board.overviews.level_sentences import benchmark_gaps, notes_of, of_models, of_people
from leaderboard.board.work_in_progress import WorkInProgress, work_in_progress
from leaderboard.charts.level_strip import strip_of
from leaderboard.charts.rendering.drawing import Drawing
from leaderboard.items.item_detail import Teaser, teaser_of
from leaderboard.items.sample_questions import SampleQuestion, sample_questions
from leaderboard.models import RowKind, Snapshot, Standing
from leaderboard.standings.human_rows import row_key

MOST = 8
HERO, HERO_FILM, HERO_POSTER = BENCHMARKS["grasp"], "clips/grasp/home.mp4", "clips/grasp/home.webp"
UNUSED = ("cells", "pack__problems")  # large fields of standings and packs


def home(request: HttpRequest) -> HttpResponse:
    """The home page; its results are cached until a figure, a pack, a seal or an open study changes.

    `clip` and `answer` are a visitor's try of a question; nothing of it is stored.
    """
    version = f"{version_of('')}|{sorted(hidden_studies().items())}|{version_of_sight()}"
    parts = json.loads(cached_body("home", version=version, make=parts_of_home))
    samples, clip, answer = parts["samples"], request.GET.get("clip", ""), request.GET.get("answer", "")
    sample = samples.get(f"{clip}/{answer}") or samples.get(f"{clip}/") or samples.get("1/", "")
    context = {"changes": latest_changes(), "is_making": any(work_in_progress().values())}
    own = {"lead": parts["lead"], "body": parts["results"], "sample": sample}
    context |= {name: mark_safe(html) for name, html in own.items()}  # noqa: S308  # our own templates # nosec B308, B703
    return render(request, "leaderboard/home.html", context)


def parts_of_home() -> str:
    """The parts that are cached, as HTML in JSON: the lead, the results, and each sample question before and after."""
    levels = all_levels()
    every = [one for found in levels.values() for one in found]
    return json.dumps(
        {
            "lead": render_to_string("leaderboard/parts/home_human_gaps.html", _lead(every)),
            "results": render_to_string("leaderboard/parts/home_results.html", _results(levels)),
            "samples": dict(_samples(every)),
        }
    )


def _samples(levels: Sequence[LevelResults]) -> Iterator[tuple[str, str]]:
    """(`CLIP/ANSWER`, HTML) of each sample question, unanswered and with each answer; the film of the site if none."""
    questions = sample_questions()
    for number, question in enumerate(questions, 1):
        level = next((one for one in levels if _asks(one, question)), None)
        figures = (
            {"level": level, "people_figure": of_people(level), "models_figure": of_models(level)} if level else {}
        )
        context = {"question": question, "number": number, "of": len(questions), "next": number % len(questions) + 1}
        for option in (None, *question.options):
            facts = {**context, **figures, "answer": option, "is_right": option == question.right}
            yield (
                f"{number}/{option.value if option else ''}",
                render_to_string("leaderboard/parts/sample.html", facts),
            )
    if not questions:
        hero = Teaser(reverse("benchmark", args=[HERO.slug]), static(HERO_FILM), static(HERO_POSTER))
        yield "1/", render_to_string("leaderboard/parts/sample_film.html", {"hero": hero, "title": HERO.title})


def _asks(level: LevelResults, question: SampleQuestion) -> bool:
    """Whether this level has figures on questions like this one."""
    is_same = level.benchmark == question.benchmark and question.item.kind in level.view.strategy.kinds
    return is_same and not level.is_empty


def _lead(levels: Sequence[LevelResults]) -> dict[str, object]:
    gaps = benchmark_gaps(levels)
    return {
        "gaps": gaps,
        "people_lead": all(gap.is_clear for gap in gaps),
        "all_reported": all(gap.is_reported for gap in gaps),
    }


def _results(levels: Mapping[str, list[LevelResults]]) -> dict[str, object]:
    made = work_in_progress()
    entries = [entry_of(BENCHMARKS[slug], found, made[slug]) for slug, found in levels.items()]
    every = [one for found in levels.values() for one in found]
    return {
        "shown": [entry for entry in entries if entry.levels or entry.making or entry.teaser.video],
        "without_figures": _titles(every, [one for one in every if one.is_empty]),
        "without_people": _titles(
            every, [one for one in every if not (one.is_empty or one.people or one.people_reported or one.hidden)]
        ),
        "without_models": _titles(every, [one for one in every if not one.is_empty and not one.models]),
    }


@dataclass(frozen=True)
class LevelDisplay:
    """One level on the home page: its results, their drawing and their sentences."""

    results: LevelResults
    drawing: Drawing
    people: str
    models: str
    notes: list[str]


@dataclass(frozen=True)
class HomeEntry:
    """One benchmark on the home page."""

    benchmark: Benchmark
    levels: list[LevelDisplay]
    teaser: Teaser
    making: WorkInProgress


def entry_of(benchmark: Benchmark, found: Sequence[LevelResults], making: WorkInProgress) -> HomeEntry:
    """The benchmark with the levels that have a figure."""
    levels = [
        LevelDisplay(one, strip_of(one), of_people(one), of_models(one), notes_of(one))
        for one in found
        if not one.is_empty
    ]
    return HomeEntry(benchmark, levels, teaser_of(benchmark), making)


def _titles(every: Sequence[LevelResults], those: Sequence[LevelResults]) -> list[str]:
    """Titles of the benchmarks of those levels, with the levels' titles if other levels are not among them."""
    found = []
    for benchmark in BENCHMARKS.values():
        own = [one for one in those if one.benchmark == benchmark]
        if own and len(own) == sum(one.benchmark == benchmark for one in every):
            found.append(benchmark.title)
        elif own:
            found.append(f"{benchmark.title} ({', '.join(dict.fromkeys(one.view.level.title for one in own))})")
    return found


@dataclass(frozen=True)
class RecentChange:
    """One recent event: its time, kind, name and link, and a score if there is one."""

    at: datetime
    what: str
    name: str
    link: str
    score: float | None = None
    key: str = ""  # the name of the score


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
        yield RecentChange(row.run.finished_at, what, name, row.run.get_absolute_url(), row.overall.get("score"), key)


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
