"""Two rows, people too, paired by item: only items of one pack that both answered, with that number."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Avg

from benchmarks.models import Item
from evaluation.models import Run
from humantrials.models import Trial
from leaderboard import tallies
from leaderboard.models import Comparison, RowKind, Standing
from leaderboard.people import judged_items
from measures.comparison import mcnemar_exact, sign_flip
from measures.intervals import Interval, mean_difference

MODELS = (RowKind.RUN, RowKind.UPLOADED)
MCNEMAR, SIGN_FLIP = "exact McNemar", "sign flips by clip"
Answers = dict[int, float]  # item -> score, 0 to 1


@dataclass(frozen=True)
class Pair:
    """One item that both answered, with the score of each; items of one cluster are about one clip."""

    item: Item
    cluster: int
    first: float
    second: float

    @property
    def difference(self) -> float:
        return self.first - self.second


@dataclass(frozen=True)
class Difference:
    """First minus second on n items about so many clips, and how likely as much would be by chance alone."""

    n: int
    clips: int
    first: float
    second: float
    interval: Interval
    p: float
    test: str

    @property
    def value(self) -> float:
        return self.first - self.second


def answers_of(source: Run | Trial, split: str = "", condition: str = "") -> Answers:
    """A model's mean over seeds, or the score of people's majority, for every item that may be shown."""
    if isinstance(source, Trial):
        return {one.item.pk: one.score for one in judged_items(source, condition)}
    scores = tallies.scores_in_split(source, split) if split else tallies.scores_of(source)
    return dict(scores.order_by().values_list(f"{tallies.ITEM}_id").annotate(Avg("value")))


def pairs_of(first: Run | Trial, second: Run | Trial, split: str = "", condition: str = "") -> list[Pair]:
    """Every item that both answered, in the order of its public id."""
    one, other = answers_of(first, split, condition), answers_of(second, split, condition)
    items = Item.objects.filter(pk__in=one.keys() & other.keys()).prefetch_related("facets", "media")
    return [
        Pair(item, _clip_of(item), one[item.pk], other[item.pk]) for item in items.order_by("public_id").iterator(2000)
    ]


def _clip_of(item: Item) -> int:
    """What an item shares with others about the same clip; a text item stands alone."""
    return next((media.clip_id for media in item.media.all()), -item.pk)


def difference_of(pairs: Sequence[Pair]) -> Difference:
    """At least one pair; the interval is t on clips, the test as fits the data."""
    n = len(pairs)
    clusters = [pair.cluster for pair in pairs]
    p, test = _tested(pairs, clusters)
    return Difference(
        n=n,
        clips=len(set(clusters)),
        first=sum(pair.first for pair in pairs) / n,
        second=sum(pair.second for pair in pairs) / n,
        interval=mean_difference([pair.difference for pair in pairs], clusters),
        p=p,
        test=test,
    )


def _tested(pairs: Sequence[Pair], clusters: Sequence[int]) -> tuple[float, str]:
    """McNemar where each clip has one right-or-wrong answer of each; sign flips by clip for all else."""
    is_plain = len(set(clusters)) == len(clusters) and all({pair.first, pair.second} <= {0.0, 1.0} for pair in pairs)
    if is_plain:
        return mcnemar_exact(sum(p.first > p.second for p in pairs), sum(p.first < p.second for p in pairs)), MCNEMAR
    return sign_flip([pair.difference for pair in pairs], clusters), SIGN_FLIP


def by_value(pairs: Iterable[Pair], facet: str) -> dict[str, list[Pair]]:
    """The pairs of each value of a facet; an item counts in each of its values."""
    groups: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        for value in pair.item.facet_values(facet):
            groups[value].append(pair)
    return groups


def compare_with_people(changed: set[int]) -> None:
    """Store the difference between people and every model of the same pack and split, where one of them changed."""
    people = Standing.objects.filter(kind=RowKind.HUMAN).select_related("trial")
    for first in people:
        models = Standing.objects.filter(kind__in=MODELS, pack=first.pack_id, split=first.split)
        for second in models.filter(condition=first.condition).select_related("run"):
            if first.pk in changed or second.pk in changed:
                _store(first, second)


def _store(first: Standing, second: Standing) -> None:
    assert first.trial is not None
    assert second.run is not None
    pairs = pairs_of(first.trial, second.run, first.split, first.condition)
    if not pairs:
        Comparison.objects.filter(first=first, second=second).delete()
        return
    found = difference_of(pairs)
    values = {"n": found.n, "difference": found.value, "low": found.interval.low, "high": found.interval.high}
    Comparison.objects.update_or_create(
        first=first, second=second, defaults=values | {"p": found.p, "test": found.test}
    )
