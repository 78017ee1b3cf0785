"""The items behind a cell: one row of a board, one facet value, and what was answered to each question."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Page, Paginator
from django.db.models import Exists, OuterRef, QuerySet

from benchmarks.definition import Benchmark
from benchmarks.models import Item, Pack
from benchmarks.registry import BENCHMARKS
from evaluation.models import Run, Score
from humantrials.models import Judgment, Trial
from humantrials.protocols import find_protocol
from humantrials.results import ItemVote, are_shown, conditions_of, is_mean, votes
from leaderboard import dividing, listed, people, tallies
from leaderboard.address import BadAddress, page_number
from leaderboard.comparing import Answers, answers_of
from leaderboard.listed import Lines

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
    if not key:
        raise BadAddress("a list of items needs a row of the board, such as row=run-7: follow a figure of the board")
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
        in_short = _scored(run, self)["score"].tolist() if run else _voted(self)
        found: Page = Paginator(in_short, PAGE).get_page(wanted)
        on_page = list(found.object_list)
        found.object_list = _answers_of_run(run, self, on_page) if run else _answers_of_people(on_page)
        return found

    def beside(self, item: Item) -> tuple[Item | None, Item | None]:
        """The items before and after this one in the list; this one need not be in it any more."""
        if self.source.run:
            before, after = listed.beside(_scored(self.source.run, self), item)
            return _item(before), _item(after)
        voted = _voted(self)
        before_it = [one.item_id for one in voted if one.public_id < item.public_id]
        after_it = [one.item_id for one in voted if one.public_id > item.public_id]
        return _item(next(reversed(before_it), None)), _item(next(iter(after_it), None))


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


def _scored(run: Run, wanted: ItemList) -> Lines:
    """The list of a run's row, in its order and in short."""
    pack, lines = wanted.source.pack, listed.lines_of(run, wanted.dimension)
    keeps = {"wrong": lines["is_read"] & (lines["points"] < 1), "right": lines["points"] == 1,
             "unread": ~lines["is_read"]}.get(wanted.shown)  # fmt: skip
    lines = listed.unsealed(lines if keeps is None else lines[keeps], pack)
    for name, value in wanted.facets.items():
        lines = listed.among(lines, listed.items_with(pack, name, value))
    if wanted.word:
        found = pack.items.filter(text__iregex=WHOLE_WORD.format(wanted.word)).order_by()
        lines = listed.among(lines, np.fromiter(found.values_list("pk", flat=True), np.int64))
    return lines if wanted.divided is None else listed.among(lines, np.array([*wanted.divided], np.int64))


def _in_full(scores: QuerySet[Score]) -> QuerySet[Score]:
    """With all that a line of the list shows."""
    return scores.select_related(f"{tallies.ITEM}__pack", "reading__response__cell")


def _item(key: int | None) -> Item | None:
    return Item.objects.select_related("pack").get(pk=key) if key else None


def _answers_of_run(run: Run, wanted: ItemList, keys: list[int]) -> list[Answered]:
    scores = _in_full(tallies.one_a_reading(run, wanted.dimension).filter(pk__in=keys)).in_bulk()
    return [_answer_of_model(scores[pk]) for pk in keys if pk in scores]  # one may be read anew in this moment


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
    rows = _shown_among(found, wanted).order_by("public_id").values_list("pk", "public_id", "expected")
    all_of_it = (
        Voted(pk, public_id, people.score_of(found[pk], expected, is_mean=is_mean(trial)), found[pk])
        for pk, public_id, expected in rows
    )
    keeps = {
        "wrong": lambda one: one.score < 1 and not one.vote.is_tie,
        "right": lambda one: one.score == 1,
        "unread": lambda one: one.vote.is_tie,
    }.get(wanted.shown, lambda one: wanted.divided is None or one.item_id in wanted.divided)
    return [one for one in all_of_it if keeps(one)]


def _shown_among(voted: Iterable[int], wanted: ItemList) -> QuerySet[Item]:
    """What may be shown of these items, with the facets and the word."""
    # Named one by one: as a condition, PostgreSQL looks up the slots of every item that there is.
    keys = np.fromiter(voted, np.int64)
    for name, value in wanted.facets.items():
        keys = keys[np.isin(keys, listed.items_with(wanted.source.pack, name, value))]
    items = Item.objects.filter(pk__in=keys.tolist()).askable().unsealed()
    return items.filter(text__iregex=WHOLE_WORD.format(wanted.word)) if wanted.word else items


def _answers_of_people(voted: list[Voted]) -> list[Answered]:
    items = Item.objects.select_related("pack").in_bulk([one.item_id for one in voted])
    return [_answer_of_people(items[one.item_id], one) for one in voted]


def _answer_of_people(item: Item, one: Voted) -> Answered:
    problem = "tie" if one.vote.is_tie else ""
    return Answered(item, one.vote.majority or "", one.score, problem, votes=one.vote.counts)
