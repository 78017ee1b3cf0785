"""Figures of people's answers: people and items are samples, so another study would have others of both."""

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from numpy.typing import ArrayLike

from measures.figures import NOTHING_KNOWN, Interval, PeopleFigure
from measures.shares.crossed import either, sharing, spread
from measures.shares.intervals import effect_of, from_variance, interval_of_votes, two_way_mean
from measures.shares.majorities import VotedItem, majority_effect

NOBODY = PeopleFigure(None, 0, 0, NOTHING_KNOWN)


def figure_of_votes(items: Sequence[VotedItem]) -> PeopleFigure:
    """The mean score of votes on items, or on groups of items that are scored together."""
    if not items:
        return NOBODY
    people = len({voter.person for item in items for voter in item.voters})
    scores, effect = [item.score for item in items], majority_effect(items)
    interval = interval_of_votes(scores, effect=effect, people=people)
    return PeopleFigure(sum(scores) / len(scores), len(items), people, interval, effect)


def figure_of_answers(
    scores: Sequence[float],
    people: ArrayLike,
    items: ArrayLike,
    labels: ArrayLike | None = None,
    weights: Sequence[float] | None = None,
) -> PeopleFigure:
    """The mean of answers, each with its person and item; with weights, of those whose weight is above 0.

    `labels`, one or two an answer, say how items depend on each other; None if they don't. The weighted mean counts as
    Kish's effective number of answers (1965, Survey Sampling, 11.7).
    """
    weighted = np.ones(len(scores)) if weights is None else np.asarray(weights, float)
    counts = weighted > 0
    if not counts.any():
        return NOBODY
    values, weighted = np.asarray(scores, float)[counts], weighted[counts]
    share = float(weighted @ values / weighted.sum())
    residuals, persons = weighted * (values - share), np.asarray(people)[counts]
    things = np.asarray(items if labels is None else labels)[counts]
    variance = spread(residuals, weighted, either(sharing(persons), sharing(things))).variance
    by_item = spread(residuals, weighted, sharing(np.asarray(items)[counts])).variance
    known, n = len(np.unique(persons)), float(weighted.sum() ** 2 / (weighted @ weighted))
    interval = from_variance(share, variance, n, min(known, len(np.unique(things))))
    return PeopleFigure(share, len(values), known, interval, effect_of(variance, by_item), variance)


def mean_of_ratings(
    ratings: Sequence[float], people: ArrayLike, items: ArrayLike, highest: float
) -> tuple[float | None, Interval | None]:
    """The mean of ratings from 1 to `highest` and its interval; None without ratings, or with fewer than two people."""
    if not ratings:
        return None, None
    found = two_way_mean(ratings, people, items)
    return fmean(ratings), found and Interval(max(1.0, found.low), min(highest, found.high))
