"""Figures of rows from ratings of their clips: means, and shares of clips that reach a step.

Ratings become clips, clips of one prompt its mean, and prompts have equal weights, so that a clip that more people
rated, or a prompt with more takes, counts no more. People and prompts are samples (`crossed_rows`); takes lie in them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from measures.ratings.crossed_rows import CrossedRows, FactorCovariance, Numbers, crossed_rows

Places = NDArray[np.int64]
DIGITS = 12  # beyond them a mean of equal ratings would differ from them, and from that of another row
Groups = Sequence[tuple[float, Sequence[int]]]  # weights of means, and the dimensions of each


@dataclass(frozen=True)
class Ratings:
    """One readable rating each; all else are numbers from 0, and a clip is of one row and one prompt."""

    values: Numbers
    rows: Places
    prompts: Places
    clips: Places
    dimensions: Places
    people: Places

    def __len__(self) -> int:
        return len(self.values)

    def only(self, chosen: NDArray) -> "Ratings":
        """The chosen ratings, by mask or by place."""
        columns = (self.values, self.rows, self.prompts, self.clips, self.dimensions, self.people)
        return Ratings(*(column[chosen] for column in columns))

    def about(self, dimensions: ArrayLike) -> "Ratings":
        return self.only(np.isin(self.dimensions, np.asarray(dimensions)))


@dataclass(frozen=True)
class RowMeans:
    """The weighted sum of means of each row, and what each of these ratings adds to it (ratings × rows)."""

    values: Numbers
    parts: Numbers
    ratings: Ratings

    @classmethod
    def of(cls, ratings: Ratings, groups: Groups, rows: int) -> "RowMeans":
        """One mean for each group of dimensions.

        A row without a rating in one of the groups has no figure, nan: what is missing is no zero.
        """
        own = ratings.about([dimension for _, dimensions in groups for dimension in dimensions])
        values, parts = np.zeros(rows), np.zeros((len(own), rows))
        for weight, dimensions in groups:
            places = np.flatnonzero(np.isin(own.dimensions, np.asarray(dimensions)))
            chosen = own.only(places)
            shares = shares_of(chosen)
            means = sums_of(chosen.rows, shares * chosen.values, shares, rows)
            values += weight * means
            parts[places, chosen.rows] += weight * shares * np.round(chosen.values - means[chosen.rows], DIGITS)
        return cls(values, parts, own)


def mean_rows(ratings: Ratings, groups: Groups, rows: int) -> CrossedRows:
    """The rows of `RowMeans`."""
    means = RowMeans.of(ratings, groups, rows)
    return crossed_rows(means.values, means.parts, means.ratings.people, means.ratings.prompts)


def sums_of(rows: Places, values: Numbers, shares: Numbers, count: int) -> Numbers:
    """The sum of each row's values; nan where it has none."""
    found = np.bincount(rows, values, count).astype(float)
    found[np.bincount(rows, shares, count) == 0] = np.nan
    return np.round(found, DIGITS)


def shares_of(ratings: Ratings) -> Numbers:
    """The weight of each rating in its row's mean."""
    questions = _numbered(ratings.clips, ratings.dimensions)
    units = _numbered(ratings.rows, ratings.prompts, ratings.dimensions)
    of_clip = units[np.unique(questions, return_index=True)[1]]
    of_row = ratings.rows[np.unique(units, return_index=True)[1]]
    counts = (np.bincount(questions)[questions], np.bincount(of_clip)[units], np.bincount(of_row)[ratings.rows])
    found: Numbers = 1 / np.prod(np.array(counts, float), axis=0)
    return found


def _numbered(*labels: Places) -> Places:
    """One number from 0 for each combination of labels."""
    whole = np.zeros_like(labels[0])
    for column in labels:
        whole = whole * (column.max(initial=0) + 1) + column
    found: Places = np.unique(whole, return_inverse=True)[1]
    return found


def reaching_rows(ratings: Ratings, limits: Mapping[int, float], rows: int) -> CrossedRows:
    """The share of each row's clips whose mean rating, rounded half up, reaches the limit in each of these dimensions.

    A clip without a rating in one of them is left out. Prompts vary by their clips' results, and people by how much
    theirs hang on one rating, as with majorities (`crossed.projected`): on whether the clip would reach the limit if
    another rating of its row stood in its place.
    """
    own, reached, swings = _reached(ratings.about(list(limits)), limits)
    one_each = np.unique(own.clips, return_index=True)[1]
    clips = own.only(one_each)
    clips = Ratings(reached[one_each], clips.rows, clips.prompts, clips.clips, np.zeros_like(clips.rows), clips.clips)
    shares = shares_of(clips)
    values = sums_of(clips.rows, shares * clips.values, shares, rows)
    of_clips, of_people = np.zeros((len(clips), rows)), np.zeros((len(own), rows))
    of_clips[np.arange(len(clips)), clips.rows] = shares * (clips.values - values[clips.rows])
    of_people[np.arange(len(own)), own.rows] = shares[np.searchsorted(clips.clips, own.clips)] * swings
    people = FactorCovariance.over_people(of_people, own.people, own.prompts)
    return CrossedRows(values, *people, FactorCovariance.over(of_clips, clips.prompts))


def _reached(ratings: Ratings, limits: Mapping[int, float]) -> tuple[Ratings, Numbers, Numbers]:
    """Ratings of clips that were rated in all of these dimensions, whether each one's clip reaches the limits, and how
    much that hangs on it.
    """
    names = sorted(limits)
    needed = np.array([limits[name] for name in names]) - 0.5  # the lowest mean that is rounded up to the limit
    clips, at = np.unique(ratings.clips, return_inverse=True)
    column = np.searchsorted(names, ratings.dimensions)
    sums, counts = np.zeros((len(clips), len(names))), np.zeros((len(clips), len(names)))
    np.add.at(sums, (at, column), ratings.values)
    np.add.at(counts, (at, column), 1)
    reaches = (sums >= counts * needed).astype(np.int64)
    are_others = (reaches.sum(axis=1)[at] - reaches[at, column]) == len(names) - 1
    least = (counts * needed - sums)[at, column] + ratings.values
    swings = np.where(are_others, (ratings.values >= least) - _usual(ratings, least), 0.0)
    is_rated = counts.min(axis=1, initial=1)[at] > 0
    return ratings.only(is_rated), reaches.min(axis=1)[at][is_rated].astype(float), swings[is_rated]


def _usual(ratings: Ratings, least: Numbers) -> Numbers:
    """The share of ratings of the same row and dimension that are at least this."""
    found, groups = np.zeros(len(ratings)), _numbered(ratings.rows, ratings.dimensions)
    for group in range(groups.max(initial=-1) + 1):
        places = np.flatnonzero(groups == group)
        below = np.searchsorted(np.sort(ratings.values[places]), least[places])
        found[places] = 1 - below / len(places)
    return found
