"""The scores of one run, summed for each item in the database, and from there for each facet value and clip."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from django.db.models import Avg, Count, F, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum, Value
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from numpy.typing import NDArray

from benchmarks.models import Item, ItemFacet, ItemMedia
from evaluation.models import Cell, Run, Score
from evaluation.prompting import STRATEGIES
from leaderboard.pack_facts import Mask, PackFacts, Places

ITEM = "reading__response__cell__item"


Amount = TypeVar("Amount")


class ClipTally(NamedTuple, Generic[Amount]):
    """What was answered about one clip (or one text item), over its questions and seeds; or columns of that."""

    n: Amount
    total: Amount
    unread: Amount
    yes: Amount
    yes_no: Amount
    positive_n: Amount
    positive_total: Amount
    negative_n: Amount
    negative_total: Amount
    exampled: Amount  # replies to which the example that was shown first is known
    repeats: Amount  # those of them that gave its answer again


Tallies = NDArray[np.float64]  # a line a clip, columns as in ClipTally
Groups = dict[tuple[str, str], Tallies]


@dataclass(frozen=True)
class Answered:
    """What one run answered: places of the items in the pack, and one line of sums an item, as in ClipTally."""

    places: Places
    sums: Tallies
    extremes: NDArray[np.float64]  # the lowest and the highest score of each item, in two columns
    facts: PackFacts

    @property
    def items(self) -> Places:
        """Ids of the items."""
        return self.facts.items[self.places]

    @property
    def clips(self) -> Places:
        return self.facts.clips[self.places]

    def within(self, items: Mask) -> "Answered":
        """The same on the items of this mask, which is over the whole pack."""
        keeps = items[self.places]
        return Answered(self.places[keeps], self.sums[keeps], self.extremes[keeps], self.facts)


def scores_in_split(run: Run, split: str) -> QuerySet[Score]:
    """The scores that count for the run's row on this split, each dimension apart; a withdrawn clip counts no more."""
    items = ItemFacet.objects.filter(name="split", value=split, item__pack=run.pack_id).values("item_id")
    return scores_of(run).filter(**{f"{ITEM}__in": items})


def scores_of(run: Run, dimension: str = "") -> QuerySet[Score]:
    """The same on every item that the run was asked, of one dimension if it is named."""
    withdrawn = ItemMedia.objects.filter(item__pack=run.pack_id, clip__withdrawn_at__isnull=False).values("item_id")
    scores = Score.objects.of_run(run).exclude(**{f"{ITEM}__in": withdrawn})
    return scores.filter(dimension=dimension) if dimension else scores


def dimensions_of(run: Run) -> list[str]:
    """What its referee scored; nothing where answers are right or wrong by rule."""
    return (
        sorted(Score.objects.of_run(run).order_by().values_list("dimension", flat=True).distinct())
        if run.referee
        else []
    )


def one_a_reading(run: Run, dimension: str = "") -> QuerySet[Score]:
    """One score for each reading that counts, with its `points`: on one dimension, else the mean over all of them."""
    scores = Score.objects.of_run(run)
    if dimension or not run.referee:
        return scores.filter(dimension=dimension or "accuracy").annotate(points=F("value"))
    own = Score.objects.filter(reading=OuterRef("reading"), referee=run.referee).order_by()
    first, mean = own.order_by("pk").values("pk")[:1], own.values("reading").annotate(mean=Avg("value")).values("mean")
    return scores.filter(pk=Subquery(first)).annotate(points=Subquery(mean))


def with_examples(scores: QuerySet[Score]) -> QuerySet[Score]:
    """The same with `example`: the answer of the item that was shown before the question, None where unknown."""
    shown = Item.objects.filter(public_id=OuterRef("example_id")).order_by().values("expected")
    first_turn = KeyTransform("0", "reading__response__turns")
    known = scores.annotate(example_id=KeyTextTransform("item", first_turn))
    return known.annotate(example=Subquery(shown[:1]))


def _sums(run: Run, dimension: str) -> QuerySet[Score, tuple[int, *tuple[float, ...]]]:
    """Item, number of scores, their sum, unread, yes, replies with a known example and with its answer; dimensions;
    lowest and highest score."""
    scores, exampled, repeats = scores_of(run, dimension).order_by(), Q(pk=None), Q(pk=None)
    if run.strategy in STRATEGIES and STRATEGIES[run.strategy].needs_example:
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


def answered_by(run: Run, facts: PackFacts, dimension: str = "") -> Answered:
    """One query: the scores that count, summed for each item over its seeds; of several dimensions their mean."""
    rows = list(_sums(run, dimension))
    places = facts.places(np.array([row[0] for row in rows], np.int64))
    table = np.array([row[1:] for row in rows], float).reshape(-1, 9)
    # A verdict has a score on every dimension or none, so that every count holds each reply once a dimension.
    n, total, unread, yes, exampled, repeats = (table[:, :6] / table[:, 6:7]).T
    asked, positive, negative = (mask[places] for mask in (facts.is_yes_no, facts.is_positive, facts.is_negative))
    columns = ClipTally(
        n,
        total,
        unread,
        yes * asked,
        n * asked,
        n * positive,
        total * positive,
        n * negative,
        total * negative,
        exampled,
        repeats,
    )
    return Answered(places, np.stack(columns, axis=1), table[:, 7:], facts)


def overall(answered: Answered) -> Tallies:
    """Tallies over items, whatever their facets."""
    return _summed(answered.sums, answered.clips)[0]


def by_facet(answered: Answered, names: Iterable[str]) -> Groups:
    """Tallies of each facet value; an item counts in each of its values."""
    facts, wanted = answered.facts, set(names)
    lines = np.full(len(facts.items), -1)
    lines[answered.places] = np.arange(len(answered.places))
    is_named = np.array([name in wanted for name, _ in facts.groups], bool)
    keeps = (lines[facts.facet_places] >= 0) & is_named[facts.facet_groups]
    own, groups = lines[facts.facet_places[keeps]], facts.facet_groups[keeps]
    sums, group_of = _summed(answered.sums[own], answered.clips[own], groups)
    starts = _changes(group_of)
    parts = zip(group_of[starts], np.split(sums, starts[1:]), strict=True) if len(starts) else ()
    return {facts.groups[number]: part for number, part in parts}


def _summed(sums: Tallies, clips: Places, groups: Places | None = None) -> tuple[Tallies, Places]:
    """One line a clip of a group, and the group of each; groups stand together, in order."""
    groups = np.zeros(len(clips), np.int64) if groups is None else groups
    order = np.lexsort((clips, groups))
    starts = _changes(groups[order], clips[order])
    if not len(starts):
        return sums, groups
    return np.add.reduceat(sums[order], starts), groups[order][starts]


def _changes(*columns: Places) -> Places:
    """Places of a sorted table at which a line differs from the one before."""
    if not len(columns[0]):
        return np.zeros(0, np.int64)
    differs = np.any([np.diff(column) != 0 for column in columns], axis=0)
    return np.concatenate([[0], 1 + np.flatnonzero(differs)])


@dataclass(frozen=True)
class Asked:
    """What a run was asked: the items of the kinds of its questions, and of these what has a reply."""

    of_its_kinds: Mask  # over the pack
    has_reply: Mask
    splits: tuple[str, ...]  # that its answers may stand in


def asked_of(run: Run, facts: PackFacts) -> Asked:
    """One query. The run's own split, then every other one of which it answered all items of the kinds it was asked."""
    cells = np.array(Cell.objects.filter(run=run).values_list("item_id", "response__pk"), float).reshape(-1, 2)
    places = facts.places(cells[:, 0].astype(np.int64))
    of_its_kinds = np.isin(facts.kinds, np.unique(facts.kinds[places]))
    has_reply = np.zeros(len(facts.items), bool)
    has_reply[places[~np.isnan(cells[:, 1])]] = True
    others = [split for split in facts.values_of("split") if split != run.split]
    complete = [
        split for split in others if _is_complete(facts.with_facet("split", split), facts, of_its_kinds, has_reply)
    ]
    return Asked(of_its_kinds, has_reply, (run.split, *complete))


def _is_complete(split: Mask, facts: PackFacts, of_its_kinds: Mask, has_reply: Mask) -> bool:
    wanted = split & of_its_kinds & facts.is_askable
    return bool(wanted.any() and has_reply[wanted].all())


def chances(facts: PackFacts, items: Mask) -> dict[tuple[str, str], float]:
    """What guessing gets on each facet value: the mean of 1 / options over these items of it."""
    keeps = (items & (facts.options > 0))[facts.facet_places]
    groups, options = facts.facet_groups[keeps], facts.options[facts.facet_places[keeps]]
    n = np.bincount(groups, minlength=len(facts.groups))
    total = np.bincount(groups, weights=1 / options, minlength=len(facts.groups))
    return {facts.groups[number]: float(total[number] / n[number]) for number in np.flatnonzero(n)}
