"""The scores of one run, summed by item in the database, then by facet value and clip in memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from django.db.models import Avg, Count, F, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from numpy.typing import NDArray

from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import Item, ItemFacet, ItemMedia
from benchmarks.packs.item_arrays import Mask, PackFacts, Places
from evaluation.models import Cell, Run, Score, ScoreQuerySet
from evaluation.prompting.strategies import find_strategy

ITEM = "reading__response__cell__item"


Amount = TypeVar("Amount")


class ClipTally(NamedTuple, Generic[Amount]):
    """Counts and sums over the questions and seeds of one clip, dyad or text item; or columns of such rows."""

    n: Amount
    total: Amount
    unread: Amount
    yes: Amount
    yes_no: Amount
    positive_n: Amount
    positive_total: Amount
    negative_n: Amount
    negative_total: Amount
    exampled: Amount  # replies with a known example before the question
    repeats: Amount  # replies of these that repeat the example's answer
    first: Amount  # ids of the clips that the row shares with others; a single clip appears twice
    second: Amount


Tallies = NDArray[np.float64]  # a line a clip or dyad, columns as in ClipTally
LABELS = -2  # end of the columns of sums
Groups = dict[tuple[str, str], Tallies]


@dataclass(frozen=True)
class RunTally:
    """One run's answers by item: the items' places in the pack, and a row of sums for each, as in ClipTally."""

    places: Places
    sums: Tallies
    extremes: NDArray[np.float64]  # the lowest and the highest score of each item, in two columns
    facts: PackFacts
    is_points: bool = False  # a referee's points, not right and wrong

    @property
    def items(self) -> Places:
        """Ids of the items."""
        return self.facts.items[self.places]

    @property
    def clusters(self) -> Places:
        return self.facts.clusters[self.places]

    def within(self, items: Mask) -> "RunTally":
        """The tally restricted to a mask over all items of the pack."""
        keeps = items[self.places]
        return RunTally(self.places[keeps], self.sums[keeps], self.extremes[keeps], self.facts, self.is_points)


def scores_in_split(run: Run, split: str) -> ScoreQuerySet:
    """Scores that count for the run's row on this split, one for each dimension, without withdrawn clips."""
    items = ItemFacet.objects.filter(name="split", value=split, item__pack=run.pack_id).values("item_id")
    return scores_of(run).filter(**{f"{ITEM}__in": items})


def scores_of(run: Run, dimension: str = "") -> ScoreQuerySet:
    """Scores of the run on all its items, on one dimension if it is named, without withdrawn clips."""
    withdrawn = ItemMedia.objects.filter(item__pack=run.pack_id, clip__withdrawn_at__isnull=False).values("item_id")
    scores = Score.objects.of_run(run).exclude(**{f"{ITEM}__in": withdrawn})
    return scores.filter(dimension=dimension) if dimension else scores


def dimensions_of(run: Run) -> list[str]:
    """Dimensions that the run's referee scored; empty if answers are scored by rule."""
    if not run.referee:
        return []
    return sorted(Score.objects.of_run(run).order_by().values_list("dimension", flat=True).distinct())


def one_a_reading(run: Run, dimension: str = "") -> QuerySet[Score]:
    """One score for each counted reading, annotated with `points`: one dimension, or the mean over all."""
    scores = Score.objects.of_run(run)
    if dimension or not run.referee:
        return scores.filter(dimension=dimension or "accuracy").annotate(points=F("value"))
    own = Score.objects.filter(reading=OuterRef("reading"), referee=run.referee).order_by()
    first, mean = own.order_by("pk").values("pk")[:1], own.values("reading").annotate(mean=Avg("value")).values("mean")
    return scores.filter(pk=Subquery(first)).annotate(points=Subquery(mean))


def with_examples(scores: QuerySet[Score]) -> QuerySet[Score]:
    """The scores annotated with `example`, the answer of the item shown before the question; None if unknown."""
    named = Item.objects.filter(draw_key=OuterRef("example_id")).order_by()
    examples = with_expected(named, to=SCORER).values("expected")
    first_turn = KeyTransform("0", "reading__response__turns")
    known = scores.annotate(example_id=KeyTextTransform("item", first_turn))
    return known.annotate(example=Subquery(examples[:1]))


def _sums(run: Run, dimension: str) -> QuerySet[Score, tuple[int, *tuple[float, ...]]]:
    """Rows of item id, number of scores, their sum, unparsed, yes, known examples, repeats, dimensions, lowest and
    highest score."""
    scores: QuerySet[Score] = scores_of(run, dimension).order_by()
    exampled, repeats = Q(pk=None), Q(pk=None)
    strategy = find_strategy(run.pack.benchmark, run.strategy)
    if strategy and strategy.example:
        scores, exampled, repeats = with_examples(scores), Q(example__isnull=False), Q(reading__answer=F("example"))
    return scores.values_list(f"{ITEM}_id").annotate(
        Count("pk"),
        Sum("value"),
        unread=Count("pk", filter=~Q(reading__problem="")),
        yes=Count("pk", filter=Q(reading__answer="yes")),
        exampled=Count("pk", filter=exampled),
        repeats=Count("pk", filter=repeats),
        dimensions=Count("dimension", distinct=True) if run.referee else Value(1),
        lowest=Min("value"),
        highest=Max("value"),
    )


def answered_by(run: Run, facts: PackFacts, dimension: str = "") -> RunTally:
    """The counted scores, summed by item over seeds and averaged over dimensions, in one query."""
    rows = list(_sums(run, dimension))
    places = facts.places(np.array([row[0] for row in rows], np.int64))
    table = np.array([row[1:] for row in rows], float).reshape(-1, 9)
    # A verdict scores every dimension or none, so each count holds every reply once for each dimension.
    n, total, unread, yes, exampled, repeats = (table[:, :6] / table[:, 6:7]).T
    yes_no, positive, negative = (mask[places] for mask in (facts.is_yes_no, facts.is_positive, facts.is_negative))
    columns = ClipTally(
        n,
        total,
        unread,
        yes * yes_no,
        n * yes_no,
        n * positive,
        total * positive,
        n * negative,
        total * negative,
        exampled,
        repeats,
        *facts.labels[places].T,
    )
    return RunTally(places, np.stack(columns, axis=1), table[:, 7:], facts, bool(run.referee))


def overall(answered: RunTally) -> Tallies:
    """Tallies over all items, a row for each clip or dyad."""
    return _summed(answered.sums, answered.clusters)[0]


def by_facet(answered: RunTally, names: Iterable[str]) -> Groups:
    """(Facet, value) -> tallies; an item counts in each of its values."""
    facts, wanted = answered.facts, set(names)
    lines = np.full(len(facts.items), -1)
    lines[answered.places] = np.arange(len(answered.places))
    is_named = np.array([name in wanted for name, _ in facts.groups], bool)
    keeps = (lines[facts.facet_places] >= 0) & is_named[facts.facet_groups]
    own, groups = lines[facts.facet_places[keeps]], facts.facet_groups[keeps]
    sums, group_of = _summed(answered.sums[own], answered.clusters[own], groups)
    starts = _changes(group_of)
    parts = zip(group_of[starts], np.split(sums, starts[1:]), strict=True) if len(starts) else ()
    return {facts.groups[number]: part for number, part in parts}


def _summed(sums: Tallies, clusters: Places, groups: Places | None = None) -> tuple[Tallies, Places]:
    """A row of sums for each cluster of each group, and the group of each row, sorted by group."""
    groups = np.zeros(len(clusters), np.int64) if groups is None else groups
    order = np.lexsort((clusters, groups))
    starts = _changes(groups[order], clusters[order])
    if not len(starts):
        return sums, groups
    found = np.add.reduceat(sums[order], starts)
    found[:, LABELS:] = sums[order[starts], LABELS:]
    return found, groups[order][starts]


def _changes(*columns: Places) -> Places:
    """Indices of a sorted table at which a row differs from the one before."""
    if not len(columns[0]):
        return np.zeros(0, np.int64)
    differs = np.any([np.diff(column) != 0 for column in columns], axis=0)
    return np.concatenate([[0], 1 + np.flatnonzero(differs)])


def run_items(run: Run, facts: PackFacts) -> tuple[Mask, tuple[str, ...]]:
    """The items of a run's question kinds in the pack, and the splits it may have rows on, in one query.

    Splits besides its own are listed if it answered them completely.
    """
    cells = np.array(Cell.objects.filter(run=run).values_list("item_id", "response__pk"), float).reshape(-1, 2)
    places = facts.places(cells[:, 0].astype(np.int64))
    of_its_kinds = np.isin(facts.kinds, np.unique(facts.kinds[places]))
    has_reply = np.zeros(len(facts.items), bool)
    has_reply[places[~np.isnan(cells[:, 1])]] = True
    others = [split for split in facts.values_of("split") if split != run.split]
    complete = [
        split for split in others if _is_complete(facts.with_facet("split", split), facts, of_its_kinds, has_reply)
    ]
    return of_its_kinds, (run.split, *complete)


def _is_complete(split: Mask, facts: PackFacts, of_its_kinds: Mask, has_reply: Mask) -> bool:
    wanted = split & of_its_kinds & facts.is_askable
    return bool(wanted.any() and has_reply[wanted].all())
