"""The simulation of coverage, small; `make soak PART=coverage` runs all of it."""

import numpy as np
import pytest

from humantrials.results.judgments import votes_of
from measures.estimate import figure_of_answers, figure_of_votes
from measures.shares.majorities import VotedItem, voters_of
from tools.bench.trials.interval_coverage import PEOPLE, TESTS, Truth, coverage_of, design_of, intervals_of, judged


@pytest.fixture(scope="module")
def design():
    return design_of(3)


def test_the_design_is_the_study_s(design):
    assert np.bincount(design.item).tolist() == [3] * 640
    assert np.bincount(design.person).tolist() == [16] * 120
    tests = design.item[design.by_person] // 40
    assert (np.sort(tests, axis=1) == np.arange(TESTS)).all()  # nobody meets a test twice


def voted_items(row, people, items):
    """Each item's three answers, consecutive in the row."""
    said = zip(people, ("yes" if one else "no" for one in row), strict=True)
    for place, answers in enumerate(zip(*[said] * 3, strict=True)):
        [vote] = votes_of(((place, answer) for _, answer in answers), [place])
        yield VotedItem(vote.score("yes"), voters_of(answers, vote.counts, "yes"), items[3 * place])


@pytest.mark.parametrize("test", [None, 0, 15])
@pytest.mark.parametrize("accuracy", [0.7, 0.97, 1.0])
def test_the_vectorised_intervals_are_those_of_measures(design, accuracy, test):
    values = judged(Truth(accuracy, 0.8, 1.2), design, 3, np.random.default_rng(5))
    inside = np.ones(len(design.item), bool) if test is None else design.item // 40 == test
    part = values[:, inside]
    places = design.by_person if test is None else np.arange(PEOPLE)[:, None]
    for row, (single, majority) in zip(part, intervals_of(part, places, PEOPLE), strict=True):
        people, items = design.person[inside].tolist(), design.item[inside].tolist()
        expected = figure_of_answers(row.tolist(), people, items).interval
        assert (single.low, single.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
        expected = figure_of_votes([*voted_items(row, people, items)]).interval
        assert (majority.low, majority.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_true_values_are_what_many_studies_average_to(design):
    truth = Truth(0.8, 1.0, 1.0)
    values = judged(truth, design, 400, np.random.default_rng(6))
    assert values.mean() == pytest.approx(0.8, abs=0.005)
    majorities = (values.reshape(400, -1, 3).sum(2) > 1.5).mean()
    assert majorities == pytest.approx(truth.majority, abs=0.006)


@pytest.mark.requirement("P13")
def test_the_two_way_interval_covers_the_truth_in_studies_of_the_real_design():
    single, _ = coverage_of(Truth(0.8, 1.0, 1.0), studies=500, seed=1)
    assert 0.92 <= single.overall <= 0.98  # ± 1 point by chance
    assert 0.91 <= single.tests <= 0.98
