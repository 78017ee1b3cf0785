"""Strengths from votes between two clips of one prompt (Bradley & Terry 1952, Biometrika 39).

The log-odds that the clip shown first wins are its row's strength minus the other's, plus one term for being shown
first. A vote for neither is half a win each. Intervals take people and prompts as samples (`crossed_rows`).
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.figures import Interval
from measures.ratings.crossed_rows import CrossedRows, crossed_rows
from measures.shares.item_response import expit

MEAN, SCALE = 1000.0, float(400 / np.log(10))  # strengths as they are shown: 100 points more are odds of 64 to 36
RIDGE = 0.05  # where a row never lost, or never won: votes alone would place it infinitely far
STEPS, TOLERANCE = 100, 1e-10

Numbers = NDArray[np.float64]


class UnconnectedError(ValueError):
    """Rows fall into groups that were never compared; `groups` holds the places of their rows."""

    def __init__(self, groups: list[list[int]]) -> None:
        super().__init__(f"{len(groups)} groups of rows were never compared with each other")
        self.groups = groups


@dataclass(frozen=True)
class Votes:
    """One vote each: the rows shown first and second, and the share of the first: 1 won, 0 lost, 0.5 neither."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    share: Numbers
    people: NDArray
    prompts: NDArray

    def __len__(self) -> int:
        return len(self.share)

    def only(self, chosen: NDArray) -> "Votes":
        """The chosen votes, by mask or by place."""
        return Votes(*(column[chosen] for column in (self.first, self.second, self.share, self.people, self.prompts)))

    @property
    def rows(self) -> int:
        return int(max(self.first.max(initial=-1), self.second.max(initial=-1))) + 1

    @property
    def wins(self) -> Numbers:
        """[i, j]: how often row i won against row j, votes for neither as half."""
        found = np.zeros((self.rows,) * 2)
        np.add.at(found, (self.first, self.second), self.share)
        np.add.at(found, (self.second, self.first), 1 - self.share)
        return found


@dataclass(frozen=True)
class Strengths:
    """Log-odds of each row, 0 on average, then the log-odds of being shown first: `rows` holds them in this order."""

    rows: CrossedRows
    parts: Numbers  # of each vote in them, to first order
    is_ridged: bool

    @property
    def strengths(self) -> Numbers:
        return self.rows.values[:-1]

    @property
    def alone(self) -> Numbers:
        """The standard errors if each vote stood alone, of strengths and order."""
        return np.sqrt(np.square(self.parts).sum(axis=0))

    def by_person(self, people: ArrayLike) -> Numbers:
        """What each person adds to the strengths (people × rows), to first order."""
        persons = np.unique(np.asarray(people), return_inverse=True)[1]
        found = np.zeros((persons.max(initial=-1) + 1, len(self.strengths)))
        np.add.at(found, persons, self.parts[:, :-1])
        return found

    @property
    def order(self) -> float:
        """0 without an advantage of being shown first, or if it was not fitted."""
        return float(self.rows.values[-1])

    @property
    def first_place(self) -> tuple[float, Interval | None]:
        """What being shown first is worth, on the scale of `ratings`."""
        interval = self.rows.of_row(len(self.strengths))
        return SCALE * self.order, Interval(SCALE * interval.low, SCALE * interval.high) if interval else None

    @property
    def ratings(self) -> CrossedRows:
        """The rows alone, on the scale on which they are shown."""
        parts = (self.rows.people, self.rows.cells, self.rows.prompts)
        scaled = (replace(part, covariance=SCALE**2 * part.covariance[:-1, :-1]) for part in parts)
        return CrossedRows(MEAN + SCALE * self.strengths, *scaled)


def strengths_of(votes: Votes, *, order: bool = True) -> Strengths:
    """Fit the strengths by maximum likelihood, with or without the term of the order.

    Raises UnconnectedError if the rows fall into groups that were never compared. Rows that only won or only lost get a
    small ridge, and all terms do where the order explains the votes between some rows without any doubt; `is_ridged`
    says so.
    """
    wins = votes.wins
    groups = groups_of(wins + wins.T > 0)
    if len(groups) > 1:
        raise UnconnectedError(groups)
    is_ridged = not _is_bounded(wins > 0)
    design = _design(votes, order=order)
    ridge = RIDGE * np.array([is_ridged] * votes.rows + [False])
    try:
        values, curvature = _fitted(design, votes.share, ridge)
    except np.linalg.LinAlgError:  # some terms grew until nothing was in doubt any more
        is_ridged = True
        values, curvature = _fitted(design, votes.share, np.full(votes.rows + 1, RIDGE))
    residuals = votes.share - expit(design @ values)
    inverse = np.linalg.pinv(curvature)
    parts = (design * residuals[:, None]) @ inverse
    return Strengths(crossed_rows(values, parts, votes.people, votes.prompts), parts, is_ridged)


def _design(votes: Votes, *, order: bool) -> Numbers:
    """The derivative of each vote's log-odds by the strengths and the order (votes × rows + 1)."""
    found = np.zeros((len(votes), votes.rows + 1))
    places = np.arange(len(votes))
    found[places, votes.first] += 1
    found[places, votes.second] -= 1
    found[:, -1] = float(order)
    return found


def _fitted(design: Numbers, share: Numbers, ridge: Numbers) -> tuple[Numbers, Numbers]:
    """Newton's method; the strengths' mean, and an order that isn't asked for, are held at 0.

    Ends when a step gains nothing any more: the likelihood is concave, so it can't be caught elsewhere.
    """
    size = design.shape[1]
    held = np.zeros((size, size))
    held[:-1, :-1] = 1.0
    held[-1, -1] = 0.0 if design[:, -1].any() else 1.0
    penalty = np.diag(ridge)
    values, curvature = np.zeros(size), held
    for _ in range(STEPS):
        chance = expit(design @ values)
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + penalty + held
        step = np.linalg.solve(curvature, design.T @ (share - chance) - penalty @ values)
        values = values + step * min(1.0, 2.0 / max(2.0, float(np.abs(step).max())))
        if np.abs(step).max() < TOLERANCE:
            break
    return values, curvature


def groups_of(are_linked: ArrayLike) -> list[list[int]]:
    """The rows of each connected group, the largest group first."""
    reach = _reached(np.asarray(are_linked))
    groups = {tuple(np.flatnonzero(row).tolist()) for row in reach & reach.T}
    return sorted((list(group) for group in groups), key=lambda group: (-len(group), group))


def _is_bounded(beats: NDArray[np.bool_]) -> bool:
    """Whether each row can be reached from each by wins, so that the likelihood has a maximum (Ford 1957)."""
    return bool(_reached(beats).all())


def _reached(links: NDArray[np.bool_]) -> NDArray[np.bool_]:
    found = links | np.eye(len(links), dtype=bool)
    for _ in range(max(1, len(links)).bit_length()):
        found = found.astype(float) @ found.astype(float) > 0
    return found
