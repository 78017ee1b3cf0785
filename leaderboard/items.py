"""The items behind a cell: one row of a board, one facet value, and what was answered to each question."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from benchmarks.definition import Benchmark
from benchmarks.models import Item, ItemFacet, Pack
from evaluation.models import Run, Score
from humantrials.models import Trial
from humantrials.results import are_shown
from leaderboard import people, tallies
from leaderboard.address import BadAddress

PAGE = 50
SHOWN = ("all", "wrong", "right", "unread")


@dataclass(frozen=True)
class Answered:
    """One item as one row of the board answered it."""

    item: Item
    answer: str
    score: float
    problem: str = ""
    seed: int | None = None
    votes: Mapping[str, int] | None = None


@dataclass(frozen=True)
class Source:
    """Whose answers are listed."""

    key: str
    name: str
    pack: Pack
    run: Run | None = None
    trial: Trial | None = None

    @property
    def pack_title(self) -> str:
        return self.pack.title

    @property
    def asked(self) -> str:
        """How it was asked, in the names of the boards; people are asked in one way."""
        return f"{self.run.strategy}, {self.run.condition}" if self.run else self.trial.title  # type: ignore[union-attr]

    @property
    def link(self) -> str:
        return (self.run or self.trial).get_absolute_url()  # type: ignore[union-attr]


def source_of(benchmark: Benchmark, key: str) -> Source:
    """The row behind a key; runs that left the board have none."""
    kind, _, name = key.partition("-")
    runs = Run.objects.on_the_board().filter(pack__benchmark=benchmark.slug).select_related("model", "pack")
    trials = Trial.objects.filter(pack__benchmark=benchmark.slug, judgments__counts=True).select_related("pack")
    shown = (trial for trial in trials.filter(slug=name) if are_shown(trial)) if kind == "trial" else iter(())
    run = runs.filter(pk=int(name)).first() if kind == "run" and name.isdigit() and len(name) < 19 else None
    trial = next(shown, None)
    if run:
        return Source(key, run.model.name, run.pack, run=run)
    if trial:
        return Source(key, "Simulated people" if trial.is_simulated else "People", trial.pack, trial=trial)
    raise BadAddress(f"row={key[:60]} is not on the board of {benchmark.title}")


def facets_asked(benchmark: Benchmark, given: Mapping[str, str]) -> dict[str, str]:
    """The facet values in the address, each known to the definition."""
    asked = {facet.name: given[facet.name] for facet in benchmark.facets if given.get(facet.name)}
    for name, value in asked.items():
        known = [one.value for one in benchmark.facet(name).values]
        if value not in known:
            raise BadAddress(f"{name}={value[:60]} does not exist here; there is: {', '.join(known)}")
    return asked


def answered(source: Source, facets: dict[str, str], shown: str, page: str) -> Page:
    """One page of items; those that an open study keeps out of sight are left out."""
    if shown not in SHOWN:
        raise BadAddress(f"show={shown[:60]} does not exist here; there is: {', '.join(SHOWN)}")
    if not page.isdigit() or not 1 <= int(page[:6]) <= 9999:
        raise BadAddress(f"page={page[:20]}: a page is a number from 1")
    if source.run:
        found: Page = Paginator(_scores(source.run, facets, shown), PAGE).get_page(int(page[:6]))
        found.object_list = [_answer_of_model(score) for score in found.object_list]
        return found
    assert source.trial is not None
    return Paginator(_answers_of_people(source.trial, facets, shown), PAGE).get_page(int(page[:6]))


def items_with(facets: dict[str, str]) -> Q:
    wanted = Q()
    for name, value in facets.items():
        wanted &= Q(pk__in=ItemFacet.objects.filter(name=name, value=value).values("item_id"))
    return wanted


def _scores(run: Run, facets: dict[str, str], shown: str) -> QuerySet[Score]:
    items = Item.objects.filter(items_with(facets), pack=run.pack_id).unsealed()
    scores = Score.objects.of_run(run).filter(**{f"{tallies.ITEM}__in": items}, dimension="accuracy")
    only = {
        "all": Q(),
        "wrong": Q(value__lt=1, reading__problem=""),
        "right": Q(value=1),
        "unread": ~Q(reading__problem=""),
    }
    found = scores.filter(only[shown]).select_related(tallies.ITEM, "reading__response__cell")
    pictures = f"{tallies.ITEM}__media__clip__renditions"
    order = (f"{tallies.ITEM}__public_id", "reading__response__cell__seed")
    return found.prefetch_related(pictures).order_by(*order)


def _answer_of_model(score: Score) -> Answered:
    reading = score.reading
    cell = reading.response.cell
    return Answered(cell.item, reading.answer, score.value, reading.problem, cell.seed)


def _answers_of_people(trial: Trial, facets: dict[str, str], shown: str) -> list[Answered]:
    sealed = set(Item.objects.filter(pack=trial.pack_id, seals__isnull=False).values_list("pk", flat=True))
    rows = [
        Answered(one.item, one.vote.majority or "", one.score, "tie" if one.vote.is_tie else "", votes=one.vote.counts)
        for one in people.judged_items(trial)
        if one.item.pk not in sealed and all(value in one.item.facet_values(name) for name, value in facets.items())
    ]
    wanted = {
        "all": rows,
        "wrong": [row for row in rows if row.score < 1 and not row.problem],
        "right": [row for row in rows if row.score == 1],
        "unread": [row for row in rows if row.problem],
    }
    return sorted(wanted[shown], key=lambda row: row.item.public_id)
