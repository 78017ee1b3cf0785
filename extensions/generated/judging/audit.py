"""Whether a judge may rank generators: each check's result beside a limit that was fixed before any audit.

A judge may rank only if every check that applies was made and none failed; "not tested" is neither, and blocks it.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np

from measures.estimate import excludes, kendall_tau, pearson_r, quadratic_kappa, share_within, tau_over_rows
from measures.figures import Interval

READABLE = 0.98  # at least, of all answers
COMMONEST = 0.60  # below, of all readable answers
RETEST = 0.60  # at least, quadratic kappa of two readings of the same clips
BIAS = 0.20  # at most, judge minus people, for every generator
ORDER = 0.50  # at least, the lower end of tau's interval
OF_CEILING = 0.5  # at least, of the agreement of one person with the others
FLIPS = 0.10  # at most, of pairs that were compared in both orders

Scores = Mapping[tuple[str, str], int | None]  # (prompt, dimension) -> step; None: not readable


class CheckVerdict(StrEnum):
    HOLDS = "holds"
    FAILS = "fails"
    UNTESTED = "not tested"
    UNRELATED = "doesn’t apply"


@dataclass(frozen=True)
class Check:
    """One question about a judge; `values` are its figures, for the sentence that prints them."""

    name: str
    limit: float | None
    verdict: CheckVerdict
    values: tuple[float, ...] = ()
    n: int = 0
    interval: Interval | None = None


# Published scores of single clips say nothing of people's votes clip by clip, of pairs, of altered clips, or of truth.
BEYOND = (
    Check("people", None, CheckVerdict.UNTESTED),
    Check("flips", None, CheckVerdict.UNRELATED),
    Check("probes", None, CheckVerdict.UNTESTED),
    Check("truth", None, CheckVerdict.UNTESTED),
)


@dataclass(frozen=True)
class JudgePass:
    """What a judge said of one generator's clips in one pass."""

    generator: str
    scores: Scores


@dataclass(frozen=True)
class JudgeAgreement:
    """How alike two columns of n steps about the same clips are."""

    n: int
    r: float | None
    kappa: float | None
    within_one: float | None


@dataclass(frozen=True)
class Evidence:
    """All that is known of a judge."""

    readings: Sequence[JudgePass]
    means: Mapping[str, float]  # generator -> mean by the judge
    people: Mapping[str, float]  # generator -> mean by people
    beyond: tuple[Check, ...] = BEYOND


@dataclass(frozen=True)
class Audit:
    checks: tuple[Check, ...]
    bias: Mapping[str, float]  # generator -> judge minus people

    @property
    def may_rank(self) -> bool:
        return all(check.verdict in (CheckVerdict.HOLDS, CheckVerdict.UNRELATED) for check in self.checks)

    def count(self, verdict: CheckVerdict) -> int:
        return sum(check.verdict == verdict for check in self.checks)

    def check(self, name: str) -> Check:
        return next(check for check in self.checks if check.name == name)


def audit_of(evidence: Evidence) -> Audit:
    """Every check about this judge, and its bias for each generator that people rated, too."""
    bias = {name: evidence.means[name] - people for name, people in evidence.people.items() if name in evidence.means}
    checks = (
        _readable(evidence.readings),
        _commonest(evidence.readings),
        _retest(evidence.readings),
        _bias(bias),
        _order(evidence, sorted(bias)),
        *evidence.beyond,
    )
    return Audit(checks, bias)


def judged_check(name: str, limit: float | None, holds: bool, *values: float, n: int = 0) -> Check:
    return Check(name, limit, CheckVerdict.HOLDS if holds else CheckVerdict.FAILS, values, n)


def _readable(readings: Sequence[JudgePass]) -> Check:
    answers = [step for reading in readings for step in reading.scores.values()]
    if not answers:
        return Check("readable", READABLE, CheckVerdict.UNTESTED)
    share = sum(step is not None for step in answers) / len(answers)
    return judged_check("readable", READABLE, share >= READABLE, share, n=len(answers))


def _commonest(readings: Sequence[JudgePass]) -> Check:
    """The share of the most common step, and that step."""
    steps = Counter(step for reading in readings for step in reading.scores.values() if step is not None)
    if not steps:
        return Check("commonest", COMMONEST, CheckVerdict.UNTESTED)
    ((step, count),) = steps.most_common(1)
    share = count / steps.total()
    return judged_check("commonest", COMMONEST, share < COMMONEST, share, step, n=steps.total())


def _retest(readings: Sequence[JudgePass]) -> Check:
    """The least and the largest kappa over all pairs of readings of one generator; the least decides."""
    pairs = [pair for pair in combinations(readings, 2) if pair[0].generator == pair[1].generator]
    agreements = [agreement_of(first.scores, second.scores) for first, second in pairs]
    kappas = [agreement.kappa for agreement in agreements if agreement.kappa is not None]
    if not kappas:
        return Check("retest", RETEST, CheckVerdict.UNTESTED)
    fewest = min(agreement.n for agreement in agreements)
    return judged_check("retest", RETEST, min(kappas) >= RETEST, min(kappas), max(kappas), n=fewest)


def _bias(bias: Mapping[str, float]) -> Check:
    if not bias:
        return Check("bias", BIAS, CheckVerdict.UNTESTED)
    least, most = min(bias.values()), max(bias.values())
    return judged_check("bias", BIAS, least >= -BIAS and most <= BIAS, least, most, n=len(bias))


def _order(evidence: Evidence, generators: Sequence[str]) -> Check:
    columns = [[means[name] for name in generators] for means in (evidence.people, evidence.means)]
    tau = kendall_tau(*columns)
    interval = tau_over_rows(*columns)
    if tau is None or interval is None:
        return Check("order", ORDER, CheckVerdict.UNTESTED)
    is_sure = tau > ORDER and excludes(interval.low, interval.high, ORDER)
    return Check(
        "order", ORDER, CheckVerdict.HOLDS if is_sure else CheckVerdict.FAILS, (tau,), len(generators), interval
    )


def agreement_of(first: Scores, second: Scores, dimensions: Collection[str] = ()) -> JudgeAgreement:
    """How alike two readings are on what both could answer, of these dimensions or of all."""
    pairs = [
        (step, again)
        for key, step in first.items()
        if step is not None and (again := second.get(key)) is not None and (not dimensions or key[1] in dimensions)
    ]
    before, after = np.array(pairs, float).reshape(-1, 2).T
    figures = (pearson_r(before, after), quadratic_kappa(before, after), share_within(before, after, 1))
    return JudgeAgreement(len(pairs), *figures)
