"""The items behind a cell: one row's answers to the items with the given facet values."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import urlencode

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from numpy.typing import NDArray

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_to, with_expected
from benchmarks.models import Item, Pack
from benchmarks.words import condition_words
from evaluation.models import Run
from evaluation.runs.pages.rows import strategy_title
from humantrials.models import Judgment, Trial
from humantrials.protocols import find_protocol
from humantrials.results.judgments import ItemVote, conditions_of, is_mean, votes
from humantrials.results.release import may_show_scores
from leaderboard.board.hidden_figures import words_of_studies
from leaderboard.board.query import BadAddress, one_of
from leaderboard.items import reading_index
from leaderboard.items.reading_index import Lines
from leaderboard.standings import human_rows, item_scores
from leaderboard.standings.paired_differences import Answers, answers_of

ITEM_FILTERS = {
    **{name: name for name in ("all", "wrong", "right")},
    "unread": "unparsed",
    "split": "humans disagree",
    "disputed": "models disagree",
}
WHOLE_WORD = r"(^|[^a-z]){}([^a-z]|$)"  # in a question; understood by every database

LONGEST_ID = 18  # digits of an id that the database can hold


@dataclass(frozen=True)
class AnswerSource:
    """The row whose answers are listed: a run, or a trial under one condition."""

    key: str
    name: str
    pack: Pack
    run: Run | None = None
    trial: Trial | None = None
    condition: str = ""  # the answerer's input
    apart: str = ""  # settings in which it differs from a row that looks the same

    @property
    def pack_title(self) -> str:
        return self.pack.title

    @property
    def label(self) -> str:
        """A run's strategy and condition, or a trial's title, with the condition if it has several."""
        return self._named(self.run.strategy if self.run else "", self.condition)

    @property
    def setting(self) -> str:
        """The label with the strategy's and the condition's titles for readers."""
        return self._named(strategy_title(self.run) if self.run else "", condition_words(self.condition))

    def _named(self, strategy: str, condition: str) -> str:
        if self.trial:
            return f"{self.trial.title}, {condition}" if "~" in self.key else self.trial.title
        return ", ".join(filter(None, (strategy, condition, self.apart)))

    def name_beside(self, other: "AnswerSource") -> str:
        """The name, with the setting if the other row has the same one."""
        return f"{self.name} ({self.setting})" if self.name == other.name else self.name

    @property
    def answerer(self) -> Run | Trial:
        """The run or the trial, whichever is set."""
        found = self.run or self.trial
        assert found is not None
        return found

    @property
    def kinds(self) -> tuple[str, ...]:
        """Question kinds that were asked; empty if the definition no longer has the run's strategy."""
        if self.trial:
            return (find_protocol(self.trial.protocol).pool.kind,)
        strategies = BENCHMARKS[self.pack.benchmark].strategies
        return next((strategy.kinds for strategy in strategies if self.run and strategy.name == self.run.strategy), ())

    @property
    def link(self) -> str:
        return self.answerer.get_absolute_url()

    def answers(self, split: str = "") -> Answers:
        """Item id -> the answerer's score, for items with public answers."""
        return answers_of(self.answerer, split, self.condition)


def source_of(benchmark: Benchmark, key: str) -> AnswerSource:
    """The row behind a key; BadAddress if there is none or it left the board."""
    kind, _, named = key.partition("-")
    name, _, condition = named.partition("~")
    run = _run_on(benchmark, named) if kind == "run" else None
    trial = _trial_on(benchmark, name) if kind == "trial" else None
    if run:
        return AnswerSource(key, run.model.name, run.pack, run=run, condition=run.condition)
    if trial and condition in ("", *conditions_of(trial)):
        condition = condition or conditions_of(trial)[0]
        who = "Simulated people" if trial.is_simulated else "People"
        return AnswerSource(human_rows.row_key(trial, condition), who, trial.pack, trial=trial, condition=condition)
    if not key:
        raise BadAddress("a list of items needs a row of the board, such as row=run-7: follow a figure of the board")
    raise BadAddress(f"row={key[:60]} is not on the board of {benchmark.title}")


def _run_on(benchmark: Benchmark, number: str) -> Run | None:
    if not number.isdigit() or len(number) > LONGEST_ID:
        return None
    runs = Run.objects.on_the_boards_of(benchmark.slug).filter(pk=int(number))
    return runs.select_related("model", "pack").first()


def _trial_on(benchmark: Benchmark, slug: str) -> Trial | None:
    """The trial with votes whose figures are shown; None if there is none."""
    has_votes = Exists(Judgment.objects.filter(trial=OuterRef("pk"), counts=True))
    trials = Trial.objects.filter(has_votes, slug=slug, pack__benchmark=benchmark.slug).select_related("pack")
    return next((trial for trial in trials if may_show_scores(trial)), None)


def requested_facets(benchmark: Benchmark, parameters: Mapping[str, str]) -> dict[str, str]:
    """The facet values in the query string; BadAddress if the definition does not have one."""
    facets = {facet.name: parameters[facet.name] for facet in benchmark.facets if parameters.get(facet.name)}
    for name, value in facets.items():
        one_of(name, value, [one.value for one in benchmark.facet(name).values])
    return facets


@dataclass(frozen=True)
class ItemList:
    """The items behind a cell, filtered; items sealed by an open study are left out."""

    source: AnswerSource
    facets: Mapping[str, str]
    visible: str
    dimension: str = ""  # of a referee's scores, "" = their mean
    word: str = ""  # a word that the question must contain

    @property
    def query(self) -> str:
        """The list as a query string."""
        narrowed = {name: value for name in ("dimension", "word") if (value := getattr(self, name))}
        return urlencode({"row": self.source.key, **self.facets, **narrowed, "show": self.visible})

    @property
    def as_thumbnails(self) -> str:
        """The list as a query string of the explorer, without filters that the explorer lacks, such as a word."""
        parameters = {"benchmark": self.source.pack.benchmark, "pack": self.source.pack.name, **self.facets}
        if self.source.run:
            parameters["model"] = str(self.source.run.pk)
        if self.visible in ("right", "wrong"):
            parameters["who"] = f"{'models' if self.source.run else 'people'}-{self.visible}"
        return urlencode(parameters)

    @cached_property
    def divided(self) -> set[int] | None:
        """Ids of the items on which models or people disagree; None if the list is not filtered by that."""
        if self.visible == "disputed":
            return item_scores.divided_by_models(self.source.pack, self.source.kinds)
        return item_scores.divided_by_people(self.source.pack) if self.visible == "split" else None

    @property
    def hidden(self) -> str:
        """That open studies hide items of this pack and kind of question from the whole list, and until when."""
        items = Item.objects.filter(pack=self.source.pack, kind__in=self.source.kinds)
        return words_of_studies(items) if self.visible == "all" else ""

    @property
    def items(self) -> list[int]:
        """Ids of the items in the list, one for each answer, in order."""
        if self.source.run:
            return _scored(self.source.run, self)["item"].tolist()
        return [one.item_id for one in _voted(self)]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many answers each of the filters by result would leave."""
        run, whole = self.source.run, replace(self, visible="all")
        if run:
            lines = _scored(run, whole)
            found = {name: int(keeps.sum()) for name, keeps in _choices_of(lines).items()}
            return {"all": len(lines), **found}
        voted = _voted(whole)
        return {"all": len(voted), **{name: sum(map(keeps, voted)) for name, keeps in KEPT.items()}}

    def beside(self, item: Item) -> tuple[Item | None, Item | None]:
        """The items before and after this one in the list, even if this one is no longer in it."""
        if self.source.run:
            before, after = reading_index.beside(_scored(self.source.run, self), item)
            return _item(before), _item(after)
        voted = _voted(self)
        before_it = [one.item_id for one in voted if one.public_id < item.public_id]
        after_it = [one.item_id for one in voted if one.public_id > item.public_id]
        return _item(next(reversed(before_it), None)), _item(next(iter(after_it), None))


def list_of(benchmark: Benchmark, parameters: Mapping[str, str]) -> ItemList:
    """Parse a query string into an ItemList; BadAddress if it names something that does not exist."""
    wanted = one_of("show", parameters.get("show") or "all", ITEM_FILTERS)
    dimensions = sorted({name for level in benchmark.levels for name in level.dimensions})
    dimension = one_of("dimension", parameters.get("dimension", ""), ("", *dimensions))
    word = parameters.get("word", "").lower()
    if not re.fullmatch(r"[a-z]{0,40}", word):
        raise BadAddress(f"word={word[:40]}: a word is letters from a to z")
    facets = requested_facets(benchmark, parameters)
    if parameters.get("object"):  # has too many values to be a facet of the boards
        facets["object"] = parameters["object"][:60]
    return ItemList(source_of(benchmark, parameters.get("row", "")), facets, wanted, dimension, word)


def _scored(run: Run, wanted: ItemList) -> Lines:
    """The filtered list of a run, in its order, as short lines."""
    pack, lines = wanted.source.pack, reading_index.lines_of(run, wanted.dimension)
    keeps = _choices_of(lines).get(wanted.visible)
    lines = reading_index.with_public_answers(lines if keeps is None else lines[keeps], pack)
    for name, value in wanted.facets.items():
        lines = reading_index.among(lines, reading_index.items_with(pack, name, value))
    if wanted.word:
        found = pack.items.filter(text__iregex=WHOLE_WORD.format(wanted.word)).order_by()
        lines = reading_index.among(lines, np.fromiter(found.values_list("pk", flat=True), np.int64))
    return lines if wanted.divided is None else reading_index.among(lines, np.array([*wanted.divided], np.int64))


def _choices_of(lines: Lines) -> dict[str, NDArray[np.bool_]]:
    """Which of the lines each filter by result keeps."""
    is_read, points = lines["is_read"], lines["points"]
    return {"wrong": is_read & (points < 1), "right": points == 1, "unread": ~is_read}


def _item(key: int | None) -> Item | None:
    return Item.objects.select_related("pack").get(pk=key) if key else None


@dataclass(frozen=True)
class Voted:
    """One item that people answered, with the fields that lists filter by."""

    item_id: int
    public_id: str
    expected: str | None
    score: float
    vote: ItemVote


KEPT: dict[str, Callable[[Voted], bool]] = {
    "wrong": lambda one: one.score < 1 and not one.vote.is_tie,
    "right": lambda one: one.score == 1,
    "unread": lambda one: one.vote.is_tie,
}


def _voted(wanted: ItemList) -> list[Voted]:
    """The filtered list of a study, in its order; votes and items are read once, and no item in full."""
    trial = wanted.source.trial
    assert trial is not None
    found = {vote.item_id: vote for vote in votes(trial, wanted.source.condition) if vote.n}
    listed = with_expected(_listed_items(found, wanted), to=PUBLIC).order_by("public_id")
    rows = listed.values_list("pk", "public_id", "expected")
    all_of_it = (
        Voted(pk, public_id, expected, human_rows.score_of(found[pk], expected, is_mean=is_mean(trial)), found[pk])
        for pk, public_id, expected in rows
    )
    keeps = KEPT.get(wanted.visible, lambda one: wanted.divided is None or one.item_id in wanted.divided)
    return [one for one in all_of_it if keeps(one)]


def _listed_items(voted: Iterable[int], wanted: ItemList) -> QuerySet[Item]:
    """The items among these that may be shown and match the list's facets and word."""
    # Ids, not a subquery: with that, PostgreSQL looks up the slots of every item in the table.
    keys = np.fromiter(voted, np.int64)
    for name, value in wanted.facets.items():
        keys = keys[np.isin(keys, reading_index.items_with(wanted.source.pack, name, value))]
    items = Item.objects.filter(pk__in=keys.tolist()).askable().filter(open_to(PUBLIC, Fact.ANSWER))
    return items.filter(text__iregex=WHOLE_WORD.format(wanted.word)) if wanted.word else items
