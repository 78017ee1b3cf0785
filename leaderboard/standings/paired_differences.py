"""Differences between two rows of one pack, models or people, paired by the items that both answered."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Avg
from django.urls import reverse

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import Item, ItemFacet
from benchmarks.models.id_list import IdList
from benchmarks.packs.clusters import Labels, labels_by_item
from evaluation.models import Run, ScoreQuerySet
from evaluation.runs import tallies
from evaluation.runs.results import groups_of, scored_groups
from humantrials.models import Trial
from leaderboard.models import Comparison, RowKind, Standing
from leaderboard.row_kinds import MODELS
from leaderboard.standings.human_rows import HumanItem, judged_items, row_key, strategy_asking, voted_group
from leaderboard.standings.item_scores import stored_means
from measures.estimate import PairedScores, VotedItem, Voter, difference, family
from measures.figures import Difference


@dataclass(frozen=True)
class Answers:
    """Item id -> the score, 0 to 1, and each person's part in it."""

    scores: dict[int, float]
    voters: dict[int, tuple[Voter, ...]] = field(default_factory=dict)
    groups: dict[str, VotedItem] = field(default_factory=dict)  # scores of groups of questions, where there are some


class PairedItem(NamedTuple):
    """The fields of an item that pairs need: reading thousands of models with facets takes ten times as long."""

    pk: int
    public_id: str
    text: str
    benchmark: str
    facets: Mapping[str, Sequence[str]]

    def facet_values(self, name: str) -> Sequence[str]:
        """Values of this facet, in order."""
        return sorted(self.facets.get(name, ()))


@dataclass(frozen=True)
class Pair(PairedScores):
    """Two scores with their item."""

    item: PairedItem = field(kw_only=True)


def answers_of(
    source: Run | Trial, split: str = "", condition: str = "", among: Collection[int] | None = None
) -> Answers:
    """A model's means over seeds, or the scores of people's majorities, on items with public answers.

    `among` limits a model's answers to these item ids: public ones, none withdrawn.
    """
    if isinstance(source, Trial):
        public = set(source.pack.items.filter(open_to(PUBLIC, Fact.ANSWER)).order_by().values_list("pk", flat=True))
        judged = [item for item in judged_items(source, condition, is_short=True) if item.item.pk in public]
        own = {one.item.pk: one.score for one in judged}
        return Answers(own, {one.item.pk: one.voters for one in judged}, _groups_of_people(source, judged))
    means = _means(source, split, among)
    groups = {} if source.referee else groups_of(source.pack, source.strategy)
    found = scored_groups(_scores(source, split, among), groups).scores if groups else {}
    voted = {name: VotedItem(sum(each) / len(each), (), groups[name].label) for name, each in found.items()}
    return Answers(means, groups=voted)


def _means(run: Run, split: str, among: Collection[int] | None) -> dict[int, float]:
    """Item id -> the mean of its scores: as stored with the run's row, else read from every reply."""
    if (stored := stored_means(run)) is None:
        found = _scores(run, split, among).order_by().values_list(f"{tallies.ITEM}_id")
        return dict(found.annotate(Avg("value")))
    wanted: Set[int] = stored.keys() if among is None else stored.keys() & among
    items = Item.objects.filter(pk__in=IdList(wanted)).order_by()
    if among is None:
        public = items.filter(open_to(PUBLIC, Fact.ANSWER)).exclude(pk__in=run.pack.items.withdrawn().values("pk"))
        wanted = set(public.values_list("pk", flat=True))
    if split and split != run.split:
        wanted = wanted & set(items.in_split(split).values_list("pk", flat=True))
    return {item: score for item, score in stored.items() if item in wanted}


def _scores(run: Run, split: str, among: Collection[int] | None) -> ScoreQuerySet:
    """The run's scores on public items of the split, on any if none is named, and among these items."""
    scores = tallies.scores_in_split(run, split) if split else tallies.scores_of(run)
    if among is None:
        return scores.on_public_items()
    wanted = Item.objects.filter(pk__in=IdList(among)).filter(open_to(PUBLIC, Fact.ANSWER)).order_by()
    return scores.filter(**{f"{tallies.ITEM}__in": wanted})


def _groups_of_people(trial: Trial, judged: Sequence[HumanItem]) -> dict[str, VotedItem]:
    strategy = next((strategy_asking(trial.pack.benchmark, one.item.kind) for one in judged), "")
    known = {one.item.pk: one for one in judged}
    groups = groups_of(trial.pack, strategy)
    whole = [(name, group) for name, group in groups.items() if group.is_whole and known.keys() >= {*group.items}]
    return {name: voted_group(one.rule, one.label, [known[item] for item in one.items]) for name, one in whole}


def group_difference(one: Answers, other: Answers) -> Difference | None:
    """The difference between the scores of groups that both answered completely; None without groups."""
    shared = sorted(one.groups.keys() & other.groups.keys())
    pairs = [(one.groups[name], other.groups[name]) for name in shared]
    scores = [PairedScores(a.labels, a.score, b.score, a.voters, b.voters) for a, b in pairs]
    return difference(scores) if scores else None


def pairs_of(first: Run | Trial, second: Run | Trial, split: str = "", condition: str = "") -> list[Pair]:
    """The items that both answered, by public id; `condition` selects among people's answers."""
    return paired(answers_of(first, split, condition), answers_of(second, split, condition))


def paired(one: Answers, other: Answers, *, known: "KnownItems | None" = None) -> list[Pair]:
    """The items that both answered, by public id; all are of one pack. `known` saves reading the items again."""
    shared = one.scores.keys() & other.scores.keys()
    found = known or known_items(shared)
    return [
        Pair(found.labels[item.pk], *_of_item(item.pk, one, other), item=item)
        for item in found.items
        if item.pk in shared
    ]


@dataclass(frozen=True)
class KnownItems:
    """Items by public id, and the labels of their clusters by id."""

    items: list[PairedItem]
    labels: Mapping[int, Labels]


def known_items(wanted: Iterable[int], facets: Collection[str] | None = None) -> KnownItems:
    """The items with these ids, read once for any number of pairs, with these facets alone if any are named."""
    ids = IdList(wanted)
    named = ItemFacet.objects.filter(item__in=ids, **({} if facets is None else {"name__in": facets})).order_by()
    values: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for pk, name, value in named.values_list("item_id", "name", "value"):
        values[pk][name].append(value)
    found = Item.objects.filter(pk__in=ids).order_by("public_id")
    rows = found.values_list("pk", "public_id", "text", "pack__benchmark")
    items = [PairedItem(*row, facets=values[row[0]]) for row in rows]
    return KnownItems(items, labels_by_item([item.pk for item in items], benchmark=items[0].benchmark if items else ""))


Both = tuple[float, float, tuple[Voter, ...], tuple[Voter, ...]]


def _of_item(item: int, one: Answers, other: Answers) -> Both:
    return one.scores[item], other.scores[item], one.voters.get(item, ()), other.voters.get(item, ())


def by_value(pairs: Iterable[Pair], facet: str) -> dict[str, list[Pair]]:
    """Value of a facet -> its pairs; an item counts in each of its values."""
    groups: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        for value in pair.item.facet_values(facet):
            groups[value].append(pair)
    return groups


def compare_with_people() -> None:
    """Store the missing differences between people and models of the same pack, split and condition.

    `refresh.store` deletes a standing's differences in the transaction that rewrites it, so that none is outdated.
    """
    people = list(Standing.objects.filter(kind=RowKind.HUMAN).select_related("trial", "pack"))
    if not people:
        return
    models = Standing.objects.filter(kind__in=MODELS, pack__in={first.pack_id for first in people})
    known = set(Comparison.objects.filter(first__in=people).values_list("first_id", "second_id"))
    places = models.values_list("pk", "strategy", "pack_id", "split", "condition")
    for first in people:
        own = (first.pack_id, first.split, first.condition)
        alike = [(pk, place) for pk, way, *place in places if _ask_alike(first.pack.benchmark, first.strategy, way)]
        missing = [pk for pk, place in alike if tuple(place) == own and (first.pk, pk) not in known]
        _store(first, list(Standing.objects.filter(pk__in=missing).select_related("run")) if missing else [])


def _ask_alike(slug: str, one: str, other: str) -> bool:
    """Whether answers to these strategies are comparable: a choice of two clips is not comparable with one clip."""
    known = {way.name: way for way in BENCHMARKS[slug].strategies} if slug in BENCHMARKS else {}
    if one not in known or other not in known:
        return True
    kinds = [(known[name].with_twin, known[name].is_scored_apart) for name in (one, other)]
    return kinds[0] == kinds[1] and not kinds[0][1]


def _store(first: Standing, models: list[Standing]) -> None:
    """Store each model's difference from these people; a pair without shared items is stored with n = 0."""
    if not models:
        return
    assert first.trial is not None
    votes = answers_of(first.trial, condition=first.condition)
    labels = labels_by_item(votes.scores, benchmark=first.pack.benchmark)
    for second in models:
        assert second.run is not None
        other = answers_of(second.run, second.split)
        shared = sorted(votes.scores.keys() & other.scores.keys())
        scores = [PairedScores(labels[item], *_of_item(item, votes, other)) for item in shared]
        _write(first, second, _stored(scores))


@transaction.atomic
def _write(first: Standing, second: Standing, values: dict[str, Any]) -> None:
    """Store a difference and touch the model's row: a page cached in between lacks the difference."""
    Comparison.objects.update_or_create(first=first, second=second, defaults=values)
    Standing.objects.filter(pk=second.pk).touch()


def _stored(scores: list[PairedScores]) -> dict[str, Any]:
    if not scores:
        return {"n": 0, "difference": 0.0, "low": None, "high": None, "p": None, "test": ""}
    found = difference(scores)
    low, high = found.interval.low, found.interval.high
    return {"n": found.n, "difference": found.value, "low": low, "high": high, "p": found.p, "test": found.test}


@dataclass(frozen=True)
class Distance:
    """A row's score minus people's, -1 to 1, on n shared items; `p` is Holm-corrected over all rows of the view."""

    value: float
    low: float | None
    high: float | None
    n: int
    p: float | None
    link: str


def gaps_to_humans(
    standings: Sequence[Standing], stored: Mapping[int, Sequence[Comparison]] | None = None
) -> dict[int, Distance]:
    """Standing id -> its gap to humans; of several studies, the one that shares the most items.

    `stored` are the differences of each model's row in this order; without them, one query reads them.
    """
    known = {standing.pk: standing for standing in standings}
    people = {standing.pk for standing in standings if standing.row_kind.is_measured_people}
    if not people:
        return {}
    rows = [standing.pk for standing in standings if standing.run_id]
    if stored is None:
        found = list(Comparison.objects.filter(first__in=people, second__in=rows, n__gt=0).order_by("n", "pk"))
    else:
        found = [pair for row in rows for pair in stored.get(row, ()) if pair.first_id in people]
    widest = {one.second_id: one for one in found}
    adjusted = family([one.p for one in widest.values()])
    pairs = zip(widest.values(), adjusted, strict=True)
    return {one.second_id: _gap(one, p, known[one.first_id], known[one.second_id]) for one, p in pairs}


def _gap(found: Comparison, p: float | None, people: Standing, row: Standing) -> Distance:
    """The stored difference (people minus row) with its sign turned, so that below people is below zero."""
    assert people.trial is not None
    link = f"{reverse('compare')}?a=run-{row.run_id}&b={row_key(people.trial, people.condition)}"
    low, high = (None if bound is None else -bound for bound in (found.high, found.low))
    return Distance(-found.difference, low, high, found.n, p, link)
