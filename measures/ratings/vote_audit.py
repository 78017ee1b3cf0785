"""What may make a board of votes say more than the votes do: ten questions, each with a limit that is fixed here.

The questions are those of arenakit 0.1.1 (Boyd 2026), asked of `bradley_terry` and its intervals.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from measures.comparing.rank_sets import rank_sets
from measures.figures import LEVEL
from measures.ratings.bradley_terry import Numbers, Strengths, UnconnectedError, Votes, strengths_of

UNSEPARATED = 0.25  # share of neighbours on the board
RANKS = 2.0  # median number of ranks that a row may have
GINI = 0.5  # of votes a row
ORDER = 0.05  # log-odds of being shown first: 1.2 points of win rate
CYCLES = 0.02  # share of triads beyond what the fit predicts
CLUSTERING = 1.15  # standard error over that of votes that stand alone
INFLUENCE = 1.0  # shift without one person, in median gaps between neighbours
TRIADS, BOARDS, SEED = 10, 500, 20_260_606


@dataclass(frozen=True)
class VoteFinding:
    """One question's value and limit; `rows` are the places of the rows meant, () for the whole board."""

    name: str
    value: float
    limit: float
    rows: tuple[int, ...] = ()

    @property
    def is_defect(self) -> bool:
        return self.value > self.limit


def audit_votes(votes: Votes) -> list[VoteFinding]:
    """The findings about these votes, those within their limits, too; about the largest group if rows are apart."""
    try:
        fit = strengths_of(votes, order=False)
    except UnconnectedError as apart:
        group = apart.groups[0]
        places = np.full(votes.rows, -1)
        places[group] = np.arange(len(group))
        inside = votes.only(np.isin(votes.first, group))
        left = Votes(places[inside.first], places[inside.second], inside.share, inside.people, inside.prompts)
        others = tuple(row for group in apart.groups[1:] for row in group)
        return [
            VoteFinding("unconnected", len(apart.groups), 1, others),
            *(audit_votes(left) if len(group) > 1 else []),
        ]
    return [
        VoteFinding("unconnected", 1, 1),
        _unseparated(fit),
        _wide_ranks(fit),
        _uneven(votes),
        *_order(votes, fit),
        _reversed("ties-decide", fit, strengths_of(votes.only(votes.share != 0.5), order=False)),
        _cycles(votes),
        _clustered(fit),
        _influence(votes, fit),
    ]


def _unseparated(fit: Strengths) -> VoteFinding:
    order = np.argsort(-fit.strengths)
    is_apart = fit.ratings.below[order[1:], order[:-1]]
    return VoteFinding("unseparated", float(1 - is_apart.mean()) if len(is_apart) else 0.0, UNSEPARATED)


def _wide_ranks(fit: Strengths) -> VoteFinding:
    widths = [worst - best + 1 for best, worst in rank_sets(fit.ratings.below)]
    return VoteFinding("wide-ranks", float(np.median(widths)), RANKS, (int(np.argmax(widths)),))


def _uneven(votes: Votes) -> VoteFinding:
    """Gini's coefficient of the number of votes a row, with the row that has the fewest."""
    counts = np.bincount(np.concatenate([votes.first, votes.second]), minlength=votes.rows)
    places = np.arange(1, len(counts) + 1)
    gini = float(2 * (places @ np.sort(counts)) / (len(counts) * counts.sum()) - (len(counts) + 1) / len(counts))
    return VoteFinding("uneven", gini, GINI, (int(np.argmin(counts)),))


def _order(votes: Votes, fit: Strengths) -> list[VoteFinding]:
    """The end of the interval of the first place's advantage that is nearer to 0, and what correcting for it turns."""
    ordered = strengths_of(votes)
    interval = ordered.rows.of_row(votes.rows)
    nearest = min(abs(interval.low), abs(interval.high)) if interval and not interval.holds(0.0) else 0.0
    return [VoteFinding("first-place", nearest, ORDER), _reversed("first-place-decides", fit, ordered)]


def _reversed(name: str, fit: Strengths, other: Strengths) -> VoteFinding:
    """The number of separated neighbours that another way of counting puts the other way round."""
    order = np.argsort(-fit.strengths)
    below = fit.ratings.below
    turned = [
        (int(higher), int(lower))
        for higher, lower in pairwise(order)
        if below[lower, higher] and other.strengths[higher] <= other.strengths[lower]
    ]
    return VoteFinding(name, len(turned), 0, tuple(row for pair in turned for row in pair))


def _cycles(votes: Votes) -> VoteFinding:
    """The share of triads in which majorities go round, beyond that of boards shares from the fit without ties."""
    decided = votes.only(votes.share != 0.5)
    wins = decided.wins
    seen, triads = _cyclic(wins)
    if triads < TRIADS:
        return VoteFinding("cycles", 0.0, CYCLES)
    strengths = strengths_of(decided, order=False).strengths
    first, second = np.triu_indices(len(wins), 1)
    chance = 1 / (1 + np.exp(strengths[second] - strengths[first]))
    numbers = (wins + wins.T)[first, second].astype(np.int64)
    random = np.random.default_rng(SEED)
    shares = []
    for won in random.binomial(numbers, chance, (BOARDS, len(numbers))):
        board = np.zeros_like(wins)
        board[first, second], board[second, first] = won, numbers - won
        shares.append(_cyclic(board)[0])
    excess, is_rare = seen - float(np.mean(shares)), float(np.mean(np.array(shares) >= seen)) <= LEVEL
    return VoteFinding("cycles", excess if is_rare else 0.0, CYCLES)


def _cyclic(wins: Numbers) -> tuple[float, int]:
    """The share of triads that go round, and the number of triads in which each pair has a winner."""
    beats = (wins > wins.T).astype(np.int64)
    either = beats + beats.T
    cycles, triads = int(np.trace(beats @ beats @ beats)) // 3, int(np.trace(either @ either @ either)) // 6
    return (cycles / triads if triads else 0.0), triads


def _clustered(fit: Strengths) -> VoteFinding:
    rows = np.eye(len(fit.alone))[:-1]
    errors = np.sqrt([fit.rows.variance(row)[0] for row in rows])
    return VoteFinding("clustered", float(np.mean(errors / fit.alone[:-1])), CLUSTERING)


def _influence(votes: Votes, fit: Strengths) -> VoteFinding:
    """The largest shift of a row, in median gaps between neighbours, without the person who moves rows most."""
    gap = float(np.median(np.abs(np.diff(np.sort(fit.strengths)))))
    persons = np.unique(votes.people, return_inverse=True)[1]
    loudest = int(np.abs(fit.by_person(persons)).max(axis=1).argmax())
    try:
        shifts = np.abs(strengths_of(votes.only(persons != loudest), order=False).strengths - fit.strengths)
    except (UnconnectedError, ValueError):  # without this person there is no board
        return VoteFinding("one-person", float("inf"), INFLUENCE)
    return VoteFinding("one-person", float(shifts.max()) / gap if gap else 0.0, INFLUENCE, (int(shifts.argmax()),))
