"""Whether a judge may rank generators: each check's result beside a limit that was fixed before any audit.

A judge may rank only if every check that applies was made and none failed; "not tested" is neither, and blocks it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import combinations

import numpy as np

from extensions.generated.models import GeneratorRole
from extensions.generated.scores.answers import PEOPLE, Answerer, RaterAnswers, RoundAnswers
from extensions.generated.scores.board import RoundBoard, only_rows
from extensions.generated.scores.columns import ScoreColumn
from extensions.generated.scores.rated_rows import Numbers, Places
from measures.estimate import (
    Ratings,
    excludes,
    kendall_tau,
    mean_rows,
    pearson_r,
    powered_rows,
    quadratic_kappa,
    share_within,
    tau_over_rows,
)
from measures.figures import Interval

READABLE = 0.98  # at least, of all answers
COMMONEST = 0.60  # below, of all readable answers
RETEST = 0.60  # at least, quadratic kappa of two readings of the same clips
BIAS = 0.20  # at most, judge minus people, for every generator
ORDER = 0.50  # at least, the lower end of tau's interval
OF_CEILING = 0.5  # at least, of the agreement of one person with the others
FLIPS = 0.10  # at most, of pairs that were compared in both orders


class CheckVerdict(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    UNTESTED = "not tested"
    UNRELATED = "doesn’t apply"

    @classmethod
    def of(cls, holds: bool) -> "CheckVerdict":
        return cls.HOLDS if holds else cls.FAILS


@dataclass(frozen=True)
class Check:
    """One question about a judge; `values` are its figures, for the sentence that prints them."""

    name: str
    limit: float | None
    verdict: CheckVerdict = CheckVerdict.UNTESTED
    values: tuple[float, ...] = ()
    n: int = 0
    interval: Interval | None = None


@dataclass(frozen=True)
class JudgeAgreement:
    """How alike two columns of n steps about the same clips are."""

    n: int
    r: float | None
    kappa: float | None
    within_one: float | None


@dataclass(frozen=True)
class ClipMeans:
    """The mean of each clip and dimension, and their number of ratings; `units` number clips and dimensions."""

    units: Places
    values: Numbers
    counts: Places

    @classmethod
    def of(cls, ratings: Ratings, dimensions: int) -> "ClipMeans":
        units, at = np.unique(ratings.clips * dimensions + ratings.dimensions, return_inverse=True)
        counts = np.bincount(at, minlength=len(units))
        return cls(units, np.bincount(at, ratings.values, len(units)) / np.maximum(counts, 1), counts)


class JudgeAudit:
    """One judge of a board: its bias and order by the board's column, all else over all dimensions."""

    def __init__(self, board: RoundBoard, judge: Answerer) -> None:
        self.board, self.judge, self.found = board, judge, board.found
        self.passes = (judge.answers, *judge.again)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        return (
            self._readable(),
            self._commonest(),
            self._retest(),
            self._bias(),
            self._order(),
            self._people(),
            self._flips(),
            self._probes(),
            self._truth(),
        )

    @property
    def may_rank(self) -> bool:
        return all(check.verdict in (CheckVerdict.HOLDS, CheckVerdict.UNRELATED) for check in self.checks)

    def count(self, verdict: CheckVerdict) -> int:
        return sum(check.verdict == verdict for check in self.checks)

    def check(self, name: str) -> Check:
        return next(check for check in self.checks if check.name == name)

    @cached_property
    def bias(self) -> dict[str, tuple[float, Interval | None]]:
        """Generator -> judge minus people."""
        ranked = set(self.found.ranked)
        found = self.board.bias(self.judge)
        return {self.found.rows[row].slug: found[row] for row in found if row in ranked}

    def ratings(self, answers: RaterAnswers) -> Ratings:
        return answers.ratings(self.found).about(range(len(self.found.scales)))

    @cached_property
    def people(self) -> Ratings | None:
        """None if none are shown, or only their means are printed."""
        people = self.board.answers.people
        return self.ratings(people.answers) if people and people.kind == PEOPLE else None

    def agreements(self, other: RaterAnswers) -> Iterator[tuple[str, JudgeAgreement]]:
        """With the other's mean of each clip, by dimension; laws are taken together."""
        scales = self.found.scales
        laws = [number for number, scale in enumerate(scales) if scale.dimension.laws]
        general = [(scale.dimension.title, [number]) for number, scale in enumerate(scales) if number not in laws]
        for title, numbers in (*general, ("Laws", laws)):
            found = agreement_of(self.ratings(self.judge.answers).about(numbers), self.ratings(other).about(numbers))
            if found.n:
                yield title, found

    def helped(self) -> dict[str, tuple[float, Interval | None]]:
        """Generator -> people's figure with this judge's help, where it rated clips that they did not."""
        own = self.ratings(self.judge.answers)
        if self.people is None or np.isin(own.clips, self.people.clips).all():
            return {}
        rows = powered_rows(self.people, own, self.board.column.as_means, len(self.found.rows))
        known = [row for row in self.found.ranked if not np.isnan(rows.values[row])]
        return {self.found.rows[row].title: (float(rows.values[row]), rows.of_row(row)) for row in known}

    def _values(self) -> Numbers:
        """What the judge said in all passes, nan for what could not be read."""
        own = range(len(self.found.scales))
        return np.concatenate([each.values[np.isin(each.dimensions, own)] for each in self.passes])

    def _readable(self) -> Check:
        """The share of answers that could be read, of all that a pass should have."""
        values, dimensions = self._values(), len(self.found.scales)
        n = max(len(values), sum(int(each.wanted[:, :dimensions].sum()) for each in self.passes))
        if not n:
            return Check("readable", READABLE)
        share = float(np.sum(~np.isnan(values))) / n
        return Check("readable", READABLE, CheckVerdict.of(share >= READABLE), (share,), n)

    def _commonest(self) -> Check:
        """The share of the most common step, and that step."""
        steps, counts = np.unique(self._values(), return_counts=True)
        counts = counts[~np.isnan(steps)]
        if not len(counts):
            return Check("commonest", COMMONEST)
        most, n = int(counts.argmax()), int(counts.sum())
        share = float(counts[most] / n)
        return Check("commonest", COMMONEST, CheckVerdict.of(share < COMMONEST), (share, float(steps[most])), n)

    def _retest(self) -> Check:
        """The least and the largest kappa over all pairs of passes over one row; the least decides."""
        ratings = [self.ratings(each) for each in self.passes]
        found = [
            agreement_of(*(only_rows(each, [row]) for each in both))
            for row in range(len(self.found.rows))
            for both in combinations(ratings, 2)
        ]
        kappas = [agreement.kappa for agreement in found if agreement.kappa is not None]
        if not kappas:
            return Check("retest", RETEST)
        fewest = min(agreement.n for agreement in found if agreement.n)
        return Check("retest", RETEST, CheckVerdict.of(min(kappas) >= RETEST), (min(kappas), max(kappas)), fewest)

    def _bias(self) -> Check:
        """The least and the largest."""
        values = [bias for bias, _ in self.bias.values()]
        if not values:
            return Check("bias", BIAS)
        holds = max(map(abs, values)) <= BIAS
        return Check("bias", BIAS, CheckVerdict.of(holds), (min(values), max(values)), len(values))

    def _order(self) -> Check:
        people = self.board.answers.people
        both = [self.board.figures[one.slug] for one in (people, self.judge) if one]
        rows = sorted(set(self.found.ranked).intersection(*both), key=lambda row: self.found.rows[row].slug)
        columns = [[figures[row].value for row in rows] for figures in both]
        tau = kendall_tau(*columns) if people else None
        interval = tau_over_rows(*columns) if people else None
        if tau is None or interval is None:
            return Check("order", ORDER)
        is_sure = tau > ORDER and excludes(interval.low, interval.high, ORDER)
        return Check("order", ORDER, CheckVerdict.of(is_sure), (tau,), len(rows), interval)

    def _people(self) -> Check:
        """Kappa with people's mean of each clip, beside that of one person with the mean of the others."""
        if self.people is None:
            return Check("people", None)
        found, ceiling = agreement_of(self.ratings(self.judge.answers), self.people), one_against_others(self.people)
        if found.kappa is None or not ceiling:
            return Check("people", None)
        holds = found.kappa >= OF_CEILING * ceiling
        return Check("people", None, CheckVerdict.of(holds), (found.kappa, ceiling), found.n)

    def _flips(self) -> Check:
        ballots = self.judge.answers.ballots
        if ballots is None or not ballots.compared:
            return Check("flips", FLIPS, CheckVerdict.UNTESTED if ballots else CheckVerdict.UNRELATED)
        share = ballots.flips / ballots.compared
        return Check("flips", FLIPS, CheckVerdict.of(share <= FLIPS), (share,), ballots.compared)

    def _probes(self) -> Check:
        """How many floors it rates lower than the ceiling, by an interval that leaves 0 out, and how many there are."""
        rows = self.found.lines
        means = ((1.0, tuple(range(len(self.found.scales)))),)
        figures = mean_rows(only_rows(self.ratings(self.judge.answers), rows), means, len(rows))
        floors, ceilings = (
            [place for place in np.flatnonzero(~np.isnan(figures.values)) if self.found.rows[rows[place]].role == role]
            for role in (GeneratorRole.FLOOR, GeneratorRole.CEILING)
        )
        if not floors or not ceilings:
            return Check("probes", None)
        best = max(ceilings, key=lambda place: float(figures.values[place]))
        units = np.eye(len(rows))
        gaps = [
            (figures.values[best] - figures.values[floor], figures.interval(units[best] - units[floor]))
            for floor in floors
        ]
        lower = sum(bool(gap > 0 and ends and excludes(ends.low, ends.high, 0.0)) for gap, ends in gaps)
        return Check("probes", None, CheckVerdict.of(lower == len(floors)), (lower, len(floors)), len(floors))

    def _truth(self) -> Check:
        """Youden's J: unbroken clips that reach the top part of their scale, minus broken ones that do."""
        value, interval, n = self.youden(self.ratings(self.judge.answers))
        if value is None:
            return Check("truth", None)
        is_sure = interval is not None and value > 0 and excludes(interval.low, interval.high, 0.0)
        return Check("truth", None, CheckVerdict.of(is_sure), (value,), n, interval)

    def youden(self, ratings: Ratings) -> tuple[float | None, Interval | None, int]:
        """J of these ratings, its interval over people and prompts, and how many clips it is about."""
        broken = np.array([-1 if truth is None else int(truth["is_broken"]) for truth in self.found.truths], np.int64)
        tops = np.array([scale.top for scale in self.found.scales])
        known = ratings.only(broken[ratings.clips] >= 0)
        kinds = broken[known.clips]
        if len(np.unique(kinds)) < 2:
            return None, None, 0
        hits = (known.values >= tops[known.dimensions]).astype(float)
        reached = Ratings(hits, np.zeros_like(kinds), known.prompts, known.clips, kinds, known.people)
        figures = mean_rows(reached, ((1.0, (0,)), (-1.0, (1,))), 1)
        return float(figures.values[0]), figures.of_row(0), len(np.unique(known.clips))


def agreement_of(first: Ratings, second: Ratings) -> JudgeAgreement:
    """How alike two answerers' means of the same clips and dimensions are."""
    most = int(max(first.dimensions.max(initial=0), second.dimensions.max(initial=0))) + 1
    one, other = ClipMeans.of(first, most), ClipMeans.of(second, most)
    _, here, there = np.intersect1d(one.units, other.units, return_indices=True)
    both = one.values[here], other.values[there]
    return JudgeAgreement(len(here), pearson_r(*both), quadratic_kappa(*both), share_within(*both, 1))


def one_against_others(ratings: Ratings) -> float | None:
    """Kappa of each rating with the mean of the other ratings of its clip and dimension; None without any."""
    most = int(ratings.dimensions.max(initial=0)) + 1
    means = ClipMeans.of(ratings, most)
    at = np.searchsorted(means.units, ratings.clips * most + ratings.dimensions)
    counts = means.counts[at]
    shared = counts > 1
    others = (means.values[at] * counts - ratings.values)[shared] / (counts[shared] - 1)
    return quadratic_kappa(ratings.values[shared], others) if shared.any() else None


def audits_of(answers: RoundAnswers, column: ScoreColumn) -> dict[str, JudgeAudit]:
    """Judge -> its audit. Of published scores too little is known for ranks, and each row keeps its own prompts."""
    published = [] if answers.found.of_item else [judge.slug for judge in answers.judges]
    board = RoundBoard(answers, column, published)
    return {judge.slug: JudgeAudit(board, judge) for judge in answers.judges}
