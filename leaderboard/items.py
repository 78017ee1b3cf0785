"""The items behind a cell: one row of a board, one facet value, and what was answered to each question."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet

from benchmarks.definition import Benchmark
from benchmarks.models import Item, ItemFacet, Pack
from benchmarks.registry import BENCHMARKS
from evaluation.models import Run, Score
from humantrials.models import Judgment, Trial
from humantrials.protocols import find_protocol
from humantrials.results import ItemVote, are_shown, conditions_of, is_mean, votes
from leaderboard import dividing, people, tallies
from leaderboard.address import BadAddress, page_number
from leaderboard.comparing import Answers, answers_of

PAGE = 50
SHOWN = ("all", "wrong", "right", "unread", "split", "disputed")
WHOLE_WORD = r"(^|[^a-z]){}([^a-z]|$)"  # in a question; the same to every database


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
    condition: str = ""  # what the answerer was given

    @property
    def pack_title(self) -> str:
        return self.pack.title

    @property
    def asked(self) -> str:
        """How it was asked, in the names of the boards; people are asked in one way, under one condition or more."""
        if self.trial:
            return f"{self.trial.title}, {self.condition}" if "~" in self.key else self.trial.title
        return f"{self.run.strategy}, {self.run.condition}"  # type: ignore[union-attr]

    @property
    def answerer(self) -> Run | Trial:
        """The one of the two that there is."""
        found = self.run or self.trial
        assert found is not None
        return found

    @property
    def kinds(self) -> tuple[str, ...]:
        """Question kinds that were asked; nothing where the definition knows the way of asking no more."""
        if self.trial:
            return (find_protocol(self.trial.protocol).kind,)
        asked = BENCHMARKS[self.pack.benchmark].strategies
        return next((one.kinds for one in asked if self.run and one.name == self.run.strategy), ())

    @property
    def link(self) -> str:
        return self.answerer.get_absolute_url()

    def answers(self, split: str = "") -> Answers:
        """What the answerer got for every item that may be shown."""
        return answers_of(self.answerer, split, self.condition)


def source_of(benchmark: Benchmark, key: str) -> Source:
    """The row behind a key; runs that left the board have none."""
    kind, _, named = key.partition("-")
    name, _, condition = named.partition("~")
    runs = Run.objects.on_the_board().filter(pack__benchmark=benchmark.slug).select_related("model", "pack")
    has_votes = Exists(Judgment.objects.filter(trial=OuterRef("pk"), counts=True))
    trials = Trial.objects.filter(has_votes, pack__benchmark=benchmark.slug).select_related("pack")
    shown = (trial for trial in trials.filter(slug=name) if are_shown(trial)) if kind == "trial" else iter(())
    run = runs.filter(pk=int(named)).first() if kind == "run" and named.isdigit() and len(named) < 19 else None
    trial = next(shown, None)
    if run:
        return Source(key, run.model.name, run.pack, run=run, condition=run.condition)
    if trial and condition in ("", *conditions_of(trial)):
        condition = condition or conditions_of(trial)[0]
        who = "Simulated people" if trial.is_simulated else "People"
        return Source(people.row_key(trial, condition), who, trial.pack, trial=trial, condition=condition)
    raise BadAddress(f"row={key[:60]} is not on the board of {benchmark.title}")


def facets_asked(benchmark: Benchmark, given: Mapping[str, str]) -> dict[str, str]:
    """The facet values in the address, each known to the definition."""
    asked = {facet.name: given[facet.name] for facet in benchmark.facets if given.get(facet.name)}
    for name, value in asked.items():
        known = [one.value for one in benchmark.facet(name).values]
        if value not in known:
            raise BadAddress(f"{name}={value[:60]} does not exist here; there is: {', '.join(known)}")
    return asked


@dataclass(frozen=True)
class ItemList:
    """The items behind a cell, narrowed; those that an open study keeps out of sight are not among them."""

    source: Source
    facets: Mapping[str, str]
    shown: str
    dimension: str = ""  # of a referee's scores, "" = their mean
    word: str = ""  # that the question must have

    @property
    def query(self) -> str:
        """As an address has it."""
        narrowed = {name: value for name in ("dimension", "word") if (value := getattr(self, name))}
        return urlencode({"row": self.source.key, **self.facets, **narrowed, "show": self.shown})

    @cached_property
    def divided(self) -> set[int] | None:
        """Items on which those whom the list asks for are at odds; None where it is not narrowed so."""
        if self.shown == "disputed":
            return dividing.models(self.source.pack, self.source.kinds)
        return dividing.people(self.source.pack) if self.shown == "split" else None

    def page(self, number: str) -> Page:
        """First all of the list in short, once: counting it and then finding the page would walk it twice."""
        run, wanted = self.source.run, page_number(number)
        found: Page = Paginator(_scored(run, self) if run else _voted(self), PAGE).get_page(wanted)
        listed = list(found.object_list)
        found.object_list = _answers_of_run(run, self, listed) if run else _answers_of_people(listed)
        return found

    def beside(self, item: Item) -> tuple[Item | None, Item | None]:
        """The items before and after this one in the list; this one need not be in it any more."""
        if self.source.run:
            scores, path = _scores(self.source.run, self), f"{tallies.ITEM}__public_id"
            before = scores.filter(**{f"{path}__lt": item.public_id}).order_by(f"-{path}")
            after = scores.filter(**{f"{path}__gt": item.public_id}).order_by(path)
            return _item(self._first(before)), _item(self._first(after))
        listed = _voted(self)
        before_it = [one.item_id for one in listed if one.public_id < item.public_id]
        after_it = [one.item_id for one in listed if one.public_id > item.public_id]
        return _item(next(reversed(before_it), None)), _item(next(iter(after_it), None))

    def _first(self, scores: QuerySet[Score]) -> int | None:
        """The item of the first of these that is in the list."""
        items = scores.values_list(f"{tallies.ITEM}_id", flat=True)
        if self.divided is None:
            return items.first()
        return next((item for item in items.iterator() if item in self.divided), None)


def list_of(benchmark: Benchmark, given: Mapping[str, str]) -> ItemList:
    """The list that an address asks for; BadAddress where it asks for what does not exist."""
    shown = given.get("show") or "all"
    if shown not in SHOWN:
        raise BadAddress(f"show={shown[:60]} does not exist here; there is: {', '.join(SHOWN)}")
    known = {name for level in benchmark.levels for name in level.dimensions}
    if (dimension := given.get("dimension", "")) and dimension not in known:
        what = ", ".join(sorted(known)) or "none"
        raise BadAddress(f"dimension={dimension[:60]} does not exist here; there is: {what}")
    word = given.get("word", "").lower()
    if not re.fullmatch(r"[a-z]{0,40}", word):
        raise BadAddress(f"word={word[:40]}: a word is letters from a to z")
    facets = facets_asked(benchmark, given)
    if given.get("object"):  # too many for a facet of the boards
        facets["object"] = given["object"][:60]
    return ItemList(source_of(benchmark, given.get("row", "")), facets, shown, dimension, word)


def _scored(run: Run, wanted: ItemList) -> list[int]:
    """The list of a run's row, in its order, as ids of scores."""
    rows = _scores(run, wanted).values_list("pk", f"{tallies.ITEM}_id")
    return [pk for pk, item in rows if wanted.divided is None or item in wanted.divided]


def _scores(run: Run, wanted: ItemList) -> QuerySet[Score]:
    """The same before it is narrowed to what others are at odds on."""
    scores = tallies.one_a_reading(run, wanted.dimension).filter(**{f"{tallies.ITEM}__seals__isnull": True})
    for name, value in wanted.facets.items():
        scores = scores.filter(
            **{f"{tallies.ITEM}__in": ItemFacet.objects.filter(name=name, value=value).values("item")}
        )
    if wanted.word:
        scores = scores.filter(**{f"{tallies.ITEM}__text__iregex": WHOLE_WORD.format(wanted.word)})
    only = {
        "all": Q(),
        "wrong": Q(points__lt=1, reading__problem=""),
        "right": Q(points=1),
        "unread": ~Q(reading__problem=""),
    }
    narrowed = scores.filter(only.get(wanted.shown, Q()))
    return narrowed.order_by(f"{tallies.ITEM}__public_id", "reading__response__cell__seed")


def _in_full(scores: QuerySet[Score]) -> QuerySet[Score]:
    """With all that a line of the list shows."""
    return scores.select_related(f"{tallies.ITEM}__pack", "reading__response__cell")


def _item(key: int | None) -> Item | None:
    return Item.objects.select_related("pack").get(pk=key) if key else None


def _answers_of_run(run: Run, wanted: ItemList, listed: list[int]) -> list[Answered]:
    scores = _in_full(tallies.one_a_reading(run, wanted.dimension).filter(pk__in=listed)).in_bulk()
    return [_answer_of_model(scores[pk]) for pk in listed]


def _answer_of_model(score: Score) -> Answered:
    reading = score.reading
    cell = reading.response.cell
    points: float = score.points  # type: ignore[attr-defined]  # annotated by one_a_reading
    return Answered(cell.item, reading.answer, points, reading.problem, cell.seed)


@dataclass(frozen=True)
class Voted:
    """One item that people answered, with as much of it as puts it into a list or not."""

    item_id: int
    public_id: str
    score: float
    vote: ItemVote


def _voted(wanted: ItemList) -> list[Voted]:
    """The list of a study's row, in its order: votes and items are read once, and no item in full."""
    trial = wanted.source.trial
    assert trial is not None
    found = {vote.item_id: vote for vote in votes(trial, wanted.source.condition) if vote.n}
    rows = _items_of(trial, wanted).order_by("public_id").values_list("pk", "public_id", "expected")
    all_of_it = (
        Voted(pk, public_id, people.score_of(found[pk], expected, is_mean=is_mean(trial)), found[pk])
        for pk, public_id, expected in rows
        if pk in found
    )
    keeps = {
        "wrong": lambda one: one.score < 1 and not one.vote.is_tie,
        "right": lambda one: one.score == 1,
        "unread": lambda one: one.vote.is_tie,
    }.get(wanted.shown, lambda one: wanted.divided is None or one.item_id in wanted.divided)
    return [one for one in all_of_it if keeps(one)]


def _items_of(trial: Trial, wanted: ItemList) -> QuerySet[Item]:
    """What may be shown of the study's items, with the facets and the word."""
    items = Item.objects.filter(pk__in=trial.slots.values("item_id")).askable().unsealed()
    for name, value in wanted.facets.items():
        items = items.filter(pk__in=ItemFacet.objects.filter(name=name, value=value).values("item"))
    return items.filter(text__iregex=WHOLE_WORD.format(wanted.word)) if wanted.word else items


def _answers_of_people(listed: list[Voted]) -> list[Answered]:
    items = Item.objects.select_related("pack").in_bulk([one.item_id for one in listed])
    return [_answer_of_people(items[one.item_id], one) for one in listed]


def _answer_of_people(item: Item, one: Voted) -> Answered:
    problem = "tie" if one.vote.is_tie else ""
    return Answered(item, one.vote.majority or "", one.score, problem, votes=one.vote.counts)
