"""The audit of a judge whose answers are runs of this site: what `audit` asks, and what only a round can show."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from extensions.generated.judging.audit import (
    FLIPS,
    OF_CEILING,
    Audit,
    Check,
    CheckVerdict,
    Evidence,
    JudgeAgreement,
    JudgePass,
    audit_of,
    judged_check,
)
from extensions.generated.models import GeneratorRole
from extensions.generated.scores.answers import Answerer, Answers
from extensions.generated.scores.figures import RoundBoard, only_rows
from extensions.generated.scores.round_clips import Numbers, Places
from measures.estimate import Ratings, excludes, mean_rows, pearson_r, quadratic_kappa, share_within
from measures.figures import Interval


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


class RunAudit:
    """One judge of a round under one column of its board."""

    def __init__(self, board: RoundBoard, judge: Answerer) -> None:
        self.board, self.judge, self.found = board, judge, board.found
        self.ratings = judge.answers.ratings(self.found).about(board.column.dimensions)

    @cached_property
    def audit(self) -> Audit:
        slugs = [one.slug for one in self.found.sets]
        people = self.board.answers.people[:1]
        figures = [self.board.figures[one.slug] for one in (self.judge, *people)]
        means = [{slugs[row]: own[row].value for row in self.found.ranked if row in own} for own in figures]
        checks = (self._people(), self._flips(), self._probes(), self._truth())
        return audit_of(Evidence(list(self._passes()), means[0], means[1] if people else {}, checks))

    def _passes(self) -> Iterator[JudgePass]:
        """What the judge said of each row in each pass, with None for what could not be read or was not answered."""
        for answers in (self.judge.answers, *self.judge.again):
            scores = self._scores(answers)
            for row, one in enumerate(self.found.sets):
                own = {key: step for (number, key), step in scores.items() if number == row}
                missing = int(answers.wanted[row, list(self.board.column.dimensions)].sum()) - len(own)
                yield JudgePass(one.slug, own | {("", str(place)): None for place in range(missing)})

    def _scores(self, answers: Answers) -> dict[tuple[int, tuple[str, str]], int | None]:
        own = np.isin(answers.dimensions, self.board.column.dimensions)
        columns = (answers.clips[own].tolist(), answers.dimensions[own].tolist(), answers.values[own].tolist())
        rows = self.found.rows.tolist()
        return {
            (rows[clip], (str(clip), str(dimension))): None if np.isnan(value) else int(value)
            for clip, dimension, value in zip(*columns, strict=True)
        }

    @cached_property
    def people(self) -> Ratings | None:
        shown = self.board.answers.people[:1]
        return shown[0].answers.ratings(self.found).about(self.board.column.dimensions) if shown else None

    def agreements(self) -> Iterator[tuple[str, JudgeAgreement]]:
        """With people's mean of each clip, by dimension."""
        for number, scale in enumerate(self.found.scales):
            if self.people is not None and number in self.board.column.dimensions:
                yield scale.dimension.title, agreement_with(self.ratings.about([number]), self.people.about([number]))

    def _people(self) -> Check:
        """Kappa with people's mean of each clip, beside that of one person with the mean of the others."""
        if self.people is None:
            return Check("people", None, CheckVerdict.UNTESTED)
        found, ceiling = agreement_with(self.ratings, self.people), one_against_others(self.people)
        if found.kappa is None or not ceiling:
            return Check("people", None, CheckVerdict.UNTESTED)
        return judged_check("people", None, found.kappa >= OF_CEILING * ceiling, found.kappa, ceiling, n=found.n)

    def _flips(self) -> Check:
        ballots = self.judge.answers.ballots
        if ballots is None:
            return Check("flips", FLIPS, CheckVerdict.UNRELATED)
        if not ballots.compared:
            return Check("flips", FLIPS, CheckVerdict.UNTESTED)
        share = ballots.flips / ballots.compared
        return judged_check("flips", FLIPS, share <= FLIPS, share, n=ballots.compared)

    def _probes(self) -> Check:
        """How many floors it rates lower than a ceiling, by an interval that leaves 0 out, and how many there are."""
        roles = [self.found.role(row) for row in range(len(self.found.sets))]
        rows = [row for row, role in enumerate(roles) if role != GeneratorRole.GENERATOR]
        figures = mean_rows(only_rows(self.ratings, rows), self.board.column.as_means, len(rows))
        floors, ceilings = (
            [place for place, row in enumerate(rows) if roles[row] == role and not np.isnan(figures.values[place])]
            for role in (GeneratorRole.FLOOR, GeneratorRole.CEILING)
        )
        if not floors or not ceilings:
            return Check("probes", None, CheckVerdict.UNTESTED)
        best = max(ceilings, key=lambda place: float(figures.values[place]))
        units = np.eye(len(rows))
        intervals = [figures.interval(units[best] - units[floor]) for floor in floors]
        lower = sum(
            bool(interval and interval.low > 0 and excludes(interval.low, interval.high, 0.0)) for interval in intervals
        )
        return judged_check("probes", None, lower == len(floors), lower, len(floors), n=len(floors))

    def _truth(self) -> Check:
        """Youden's J: unbroken clips that reach the top part of the scale, minus broken ones that do."""
        value, interval, n = self.youden(self.ratings)
        if value is None:
            return Check("truth", None, CheckVerdict.UNTESTED)
        is_sure = interval is not None and excludes(interval.low, interval.high, 0.0) and value > 0
        verdict = CheckVerdict.HOLDS if is_sure else CheckVerdict.FAILS
        return Check("truth", None, verdict, (value,), n, interval)

    def youden(self, ratings: Ratings) -> tuple[float | None, Interval | None, int]:
        """J of these ratings, its interval over people and prompts, and how many clips it is about."""
        broken = np.array([-1 if clip.truth is None else clip.truth["is_broken"] for clip in self.found.clips])
        scales = self.found.scales
        tops = np.array([scale.top for scale in scales])
        chosen = (broken[ratings.clips] >= 0) & (ratings.dimensions < len(scales))
        known = ratings.only(chosen)
        if len(set(broken[known.clips].tolist())) < 2:
            return None, None, 0
        hits = (known.values >= tops[known.dimensions]).astype(float)
        row = np.zeros(len(known), np.int64)
        told = Ratings(hits, row, known.prompts, known.clips, broken[known.clips], known.people)
        figures = mean_rows(told, ((1.0, (0,)), (-1.0, (1,))), 1)
        return float(figures.values[0]), figures.of_row(0), len(np.unique(known.clips))


def agreement_with(judged: Ratings, people: Ratings) -> JudgeAgreement:
    """The judge's mean of each clip and dimension beside people's."""
    most = int(max(judged.dimensions.max(initial=0), people.dimensions.max(initial=0))) + 1
    one, other = ClipMeans.of(judged, most), ClipMeans.of(people, most)
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
