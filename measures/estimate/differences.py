"""The difference of two answerers on the items that both answered, and whether they err on the same ones.

People are random as items are: the answers behind their scores add to the variance.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat

from measures.comparing.comparison import mcnemar_mid, minimum_detectable_difference, sign_flip
from measures.comparing.error_consistency import error_consistency, error_consistency_interval, gains
from measures.comparing.paired import Discordance, PeopleParts, discordance
from measures.figures import LEVEL, Consistency, Difference
from measures.shares.crossed import projected
from measures.shares.intervals import rejected_at
from measures.shares.majorities import Voter

MCNEMAR, SIGN_FLIP, SCORE = "McNemar, mid-P", "sign flips by clip", "score test"
ESTIMATOR = "score interval (Tango 1998) on clips"  # in the notes of tables, for every difference
RIGHT = 0.5


@dataclass(frozen=True)
class PairedScores:
    """The scores of two answerers on one item, 0 to 1; items that share one of the two labels depend on each other."""

    labels: tuple[int, int]
    first: float
    second: float
    voters: tuple[Voter, ...] = ()  # answers of people, if they are the first
    other_voters: tuple[Voter, ...] = ()

    @property
    def difference(self) -> float:
        return self.first - self.second

    @property
    def are_right(self) -> tuple[bool, bool]:
        """Whether each is right; a mean over seeds is if it is above one half."""
        return self.first > RIGHT, self.second > RIGHT


def difference(pairs: Sequence[PairedScores]) -> Difference:
    """The mean difference of at least one pair, with a score interval over clips and people, and a test that fits.

    The interval reaches 0 where the test does not reject it: exact tests are stricter with few pairs.
    """
    n = len(pairs)
    first, second = sum(pair.first for pair in pairs) / n, sum(pair.second for pair in pairs) / n
    people = _people(pairs, repeat(1.0, n), repeat(-1.0, n))
    labels = [pair.labels for pair in pairs]
    found = discordance([pair.difference for pair in pairs], labels, people and _scored(people, pairs, first, second))
    interval, (p, test) = found.interval(), _tested(pairs, found)
    if p < LEVEL and interval.holds(0.0):
        p, test = rejected_at(found.interval, 0.0), SCORE  # the interval is the more careful
    return Difference(
        n=n,
        clips=len({clip for both in labels for clip in both}),
        first=first,
        second=second,
        interval=interval if p < LEVEL else interval.reaching(0.0),
        p=p,
        test=test,
        people=people.panel if people else 0,
        detectable=minimum_detectable_difference(found.independent(), found.first + found.second),
    )


def consistency(pairs: Sequence[PairedScores]) -> Consistency:
    """How alike these two err on at least one item, with the interval of kappa over clips and people."""
    first, second = ([pair.are_right[side] for pair in pairs] for side in (0, 1))
    people = _people(pairs, *gains(first, second))
    interval = error_consistency_interval(first, second, [pair.labels for pair in pairs], people)
    return replace(error_consistency(first, second), interval=interval)


def _scored(people: PeopleParts, pairs: Sequence[PairedScores], first: float, second: float) -> PeopleParts:
    """Scores with people's part, if one of the two rows is of people."""
    are_first, are_second = any(pair.voters for pair in pairs), any(pair.other_voters for pair in pairs)
    if are_first and are_second:
        return people
    return replace(people, score=first if are_first else second, are_second=are_second)


def _people(pairs: Sequence[PairedScores], first: Iterable[float], second: Iterable[float]) -> PeopleParts | None:
    """The variance that people add on both sides; None without people.

    `first` and `second` give for each pair the statistic's gain if that side has the item right. Two panels are two
    samples; the same people on both sides, as under two conditions of a study, are one, whose own level cancels.
    """
    answered = [[(pair.labels, voter, gain) for pair, gain in zip(pairs, first, strict=True) for voter in pair.voters]]
    others = zip(pairs, second, strict=True)
    answered.append([(pair.labels, voter, gain) for pair, gain in others for voter in pair.other_voters])
    rows = [
        (gain * share, voter.person, labels, side)
        for side, found in enumerate(answered)
        for share, (labels, voter, gain) in zip(_shares([voter for _, voter, _ in found]), found, strict=True)
    ]
    if not rows:
        return None
    shares, people, labels, sides = (list(column) for column in zip(*rows, strict=True))
    own, other = ({voter.person for _, voter, _ in found} for found in answered)
    return PeopleParts(shares, people, labels, sides=0 if own & other else sides)


def _shares(voters: Sequence[Voter]) -> list[float]:
    found: list[float] = projected([voter.right for voter in voters], [one.swing for one in voters]).tolist()
    return found


def _tested(pairs: Sequence[PairedScores], found: Discordance) -> tuple[float, str]:
    """p-value and test: on single answers mid-P; signs of dyads can't be flipped one by one."""
    if any(pair.labels[0] != pair.labels[1] or pair.voters or pair.other_voters for pair in pairs):
        return found.p(), SCORE
    clusters: list[Hashable] = [pair.labels[0] for pair in pairs]
    is_plain = len(set(clusters)) == len(clusters) and all({pair.first, pair.second} <= {0.0, 1.0} for pair in pairs)
    if is_plain:
        return mcnemar_mid(sum(p.first > p.second for p in pairs), sum(p.first < p.second for p in pairs)), MCNEMAR
    return sign_flip([pair.difference for pair in pairs], clusters), SIGN_FLIP
