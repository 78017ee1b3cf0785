"""Figures of people's votes and answers hold the truth where people and items are drawn anew."""

import numpy as np

from measures.estimate import figure_of_answers, figure_of_votes, from_variance, interval_of_votes, mean_of_ratings
from measures.figures import Interval, PeopleFigure
from tests.measures.test_majorities import votes


def test_a_figure_follows_from_what_a_snapshot_stores():
    found = figure_of_votes(votes(4, people=12))
    scores = [item.score for item in votes(4, people=12)]
    assert interval_of_votes(scores, effect=found.effect, people=found.people) == found.interval
    values, people, items = [1, 0, 1, 1, 0, 1], [1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 3, 4]
    answers = figure_of_answers(values, people, items)
    assert from_variance(answers.score, answers.variance, 6, 3) == answers.interval


def test_answers_without_weight_count_for_nothing():
    values, people, items = [1, 0, 1, 1, 0, 1], [1, 1, 2, 2, 3, 3], [1, 2, 1, 2, 3, 4]
    fewer = figure_of_answers(values[:4], people[:4], items[:4])
    weighted = figure_of_answers(values, people, items, weights=[1, 1, 1, 1, 0, 0])
    assert weighted == fewer
    assert np.isclose(figure_of_answers(values, people, items, weights=[1, 1, 1, 3, 1, 1]).score, 6 / 8)


def test_ratings_have_a_mean_and_no_ratings_have_none():
    assert mean_of_ratings([], [], [], 5) == (None, None)
    assert figure_of_votes([]) == PeopleFigure(None, 0, 0, Interval(0.0, 1.0))
    mean, interval = mean_of_ratings([1, 3, 3, 5], [1, 1, 2, 2], [1, 2, 1, 2], 5)
    assert (mean, interval.low, interval.high) == (3, 1, 5)  # no further than the scale
