"""The items behind a cell: one row of a board, one facet value, and what was answered to each question."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from benchmarks.definition import Benchmark
from benchmarks.models import Item, ItemFacet, Pack
from evaluation.models import Run, Score
from humantrials.models import Trial
from humantrials.results import are_shown, conditions_of
from leaderboard import dividing, people, tallies
from leaderboard.address import BadAddress, page_number
from leaderboard.comparing import Answers, answers_of

PAGE = 50
SHOWN = ("all", "wrong", "right", "unread", "split", "disputed")
WHOLE_WORD = r"(^|[^a-z]){}([^a-z]|$)"  # in a question; the same to every database
DIVIDING = {"split": dividing.people, "disputed": dividing.models}  # items of a pack on which these are at odds


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
    trials = Trial.objects.filter(pack__benchmark=benchmark.slug, judgments__counts=True).select_related("pack")
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

    def page(self, number: str) -> Page:
        wanted = page_number(number)
        if self.source.run:
            # First all of the list by id, once: counting it and then finding the page would walk it twice.
            keys = list(_scores(self.source.run, self).values_list("pk", flat=True))
            found: Page = Paginator(keys, PAGE).get_page(wanted)
            listed = tallies.one_a_reading(self.source.run, self.dimension).filter(pk__in=list(found.object_list))
            shown = {score.pk: score for score in _in_full(listed)}
            found.object_list = [_answer_of_model(shown[pk]) for pk in found.object_list]
            return found
        return Paginator(_answers_of_people(self), PAGE).get_page(wanted)

    def beside(self, item: Item) -> tuple[Item | None, Item | None]:
        """The items before and after this one in the list; this one need not be in it any more."""
        if self.source.run:
            scores, path = _scores(self.source.run, self), f"{tallies.ITEM}__public_id"
            before = _item_of(scores.filter(**{f"{path}__lt": item.public_id}).order_by(f"-{path}"))
            return before, _item_of(scores.filter(**{f"{path}__gt": item.public_id}).order_by(path))
        listed = [row.item for row in _answers_of_people(self)]
        before_it = [one for one in listed if one.public_id < item.public_id]
        after_it = [one for one in listed if one.public_id > item.public_id]
        return (before_it[-1] if before_it else None), (after_it[0] if after_it else None)


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


def _scores(run: Run, wanted: ItemList) -> QuerySet[Score]:
    scores = tallies.one_a_reading(run, wanted.dimension).filter(**{f"{tallies.ITEM}__seals__isnull": True})
    for name, value in wanted.facets.items():
        scores = scores.filter(
            **{f"{tallies.ITEM}__in": ItemFacet.objects.filter(name=name, value=value).values("item")}
        )
    if wanted.word:
        scores = scores.filter(**{f"{tallies.ITEM}__text__iregex": WHOLE_WORD.format(wanted.word)})
    if wanted.shown in DIVIDING:
        scores = scores.filter(**{f"{tallies.ITEM}__in": DIVIDING[wanted.shown](wanted.source.pack)})
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


def _item_of(scores: QuerySet[Score]) -> Item | None:
    first = _in_full(scores).first()
    return first.reading.response.cell.item if first else None


def _answer_of_model(score: Score) -> Answered:
    reading = score.reading
    cell = reading.response.cell
    points: float = score.points  # type: ignore[attr-defined]  # annotated by one_a_reading
    return Answered(cell.item, reading.answer, points, reading.problem, cell.seed)


def _answers_of_people(wanted: ItemList) -> list[Answered]:
    trial = wanted.source.trial
    assert trial is not None
    hidden = set(Item.objects.filter(pack=trial.pack_id).sealed().values_list("pk", flat=True))
    if wanted.word:
        others = Item.objects.filter(pack=trial.pack_id).exclude(text__iregex=WHOLE_WORD.format(wanted.word))
        hidden |= set(others.values_list("pk", flat=True))
    rows = [
        Answered(one.item, one.vote.majority or "", one.score, "tie" if one.vote.is_tie else "", votes=one.vote.counts)
        for one in people.judged_items(trial, wanted.source.condition)
        if one.item.pk not in hidden
        and all(value in one.item.facet_values(name) for name, value in wanted.facets.items())
    ]
    return sorted(_narrowed(rows, wanted), key=lambda row: row.item.public_id)


def _narrowed(rows: list[Answered], wanted: ItemList) -> list[Answered]:
    if wanted.shown in DIVIDING:
        divided = set(DIVIDING[wanted.shown](wanted.source.pack))
        return [row for row in rows if row.item.pk in divided]
    keeps = {
        "all": lambda row: True,
        "wrong": lambda row: row.score < 1 and not row.problem,
        "right": lambda row: row.score == 1,
        "unread": lambda row: bool(row.problem),
    }
    return [row for row in rows if keeps[wanted.shown](row)]
