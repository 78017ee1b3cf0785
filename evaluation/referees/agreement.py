"""Agreement of referees that scored the same replies, dimension by dimension."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from evaluation.models import Score, ScoreQuerySet
from measures.estimate import interval_alpha, rank_correlation

PEOPLE = "people"
Points = tuple[float, float]


Rated = tuple[int, str]  # reply, dimension
RaterScores = Mapping[Rated, Mapping[str, float]]  # rater -> share of the highest score


@dataclass(frozen=True)
class RaterAgreement:
    """Two raters on one dimension: n, share of equal points, mean difference, alpha and rank correlation."""

    first: str
    second: str
    dimension: str
    n: int
    same: float
    difference: float  # first minus second, -1 to 1
    alpha: float | None
    order: float | None


def agreements(benchmark: str) -> list[RaterAgreement]:
    """The agreement of every two referees on this benchmark's replies, by name and dimension."""
    return agreements_in(
        _scores_by_rater(Score.objects.filter(reading__response__cell__run__pack__benchmark=benchmark))
    )


def beside(people: Mapping[Rated, float]) -> RaterScores:
    """The points of people together with the referees' points for the same replies."""
    scores = _scores_by_rater(Score.objects.filter(reading__response__in={response for response, _ in people}))
    return {rated: {**scores.get(rated, {}), PEOPLE: points} for rated, points in people.items()}


def _scores_by_rater(scores: ScoreQuerySet) -> RaterScores:
    found: dict[Rated, dict[str, float]] = defaultdict(dict)
    rows = scores.exclude(referee="").order_by("pk").values_list("reading__response", "dimension", "referee", "value")
    for response, dimension, referee, value in rows.iterator(chunk_size=5000):
        found[response, dimension][referee] = value
    return found


def agreements_in(scores: RaterScores, *, of: str = "") -> list[RaterAgreement]:
    """The agreement of every two raters; with `of`, only of the pairs whose second rater is `of`."""
    pairs: dict[tuple[str, str, str], list[Points]] = defaultdict(list)
    for (_, dimension), by_rater in scores.items():
        raters = sorted(by_rater, key=lambda rater: (rater == of, rater))
        for first, second in combinations(raters, 2):
            if of in ("", second):
                pairs[first, second, dimension].append((by_rater[first], by_rater[second]))
    return [agreement_of(*key, points) for key, points in sorted(pairs.items())]


def agreement_of(first: str, second: str, dimension: str, points: Sequence[Points]) -> RaterAgreement:
    ones, others = [one for one, _ in points], [other for _, other in points]
    return RaterAgreement(
        first,
        second,
        dimension,
        len(points),
        same=fmean(abs(one - other) < 1e-9 for one, other in points),
        difference=fmean(one - other for one, other in points),
        alpha=interval_alpha(points),
        order=rank_correlation(ones, others),
    )
