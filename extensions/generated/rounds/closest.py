"""Adaptive rounds: the pairs of clip sets about which a vote tells most, by the votes of an earlier round."""

from collections.abc import Collection
from itertools import combinations
from math import exp

from benchmarks.errors import ContentRefused
from extensions.generated.models import ClipSet, RatingRound
from extensions.generated.pairs.board import PairsBoard
from extensions.generated.scores.answers import answers_of

MOST = 0.25  # information of a vote between equals


def closest_pairs(earlier: RatingRound, sets: Collection[ClipSet]) -> set[frozenset[int]]:
    """The half of all pairs of these sets, as ids, that is nearest to even; a set without a strength meets everybody.

    A vote between two of which one is chosen with probability p tells p (1 - p) about their distance: Fisher's
    information of one trial. Raises ContentRefused if the earlier round has no votes that may be used.
    """
    strengths = _strengths(earlier)
    if not strengths:
        raise ContentRefused(f"{earlier.title} has no votes to go by: its study must be over, and link all clip sets")
    pairs = {
        frozenset((one.pk, other.pk)): _information(strengths.get(one.slug), strengths.get(other.slug))
        for one, other in combinations(sets, 2)
    }
    ranked = sorted(pairs.values(), reverse=True)
    return {pair for pair, information in pairs.items() if information >= ranked[(len(ranked) - 1) // 2]}


def _strengths(earlier: RatingRound) -> dict[str, float]:
    """Log-odds by the clip set's address; {} without votes, or where they don't link all rows."""
    answers = answers_of(earlier)
    ballots = answers.people.answers.ballots if answers.people else None
    fit = PairsBoard(ballots.table).fit if ballots and len(ballots.table.votes) else None
    return {row.slug: float(own) for row, own in zip(answers.found.rows, fit.strengths, strict=True)} if fit else {}


def _information(first: float | None, second: float | None) -> float:
    if first is None or second is None:
        return MOST
    chance = 1 / (1 + exp(second - first))
    return chance * (1 - chance)
