import itertools

import numpy as np
import pytest

from measures.scores.group_scores import group_score, group_scores, guessed, question_gains


def test_a_group_is_scored_by_its_rule_and_hangs_on_each_question_as_far_as_the_others_let_it():
    for rule, scores in {
        "all": {(1, 1): 1, (1, 0): 0, (1, 1, 1, 0): 0, (1, 0.5): 0.5},  # a tied vote: right half of the time
        "square": {(1, 1, 0, 0): 0.25, (1, 1, 1, 1): 1},
        "chain": {(1, 1, 0, 1): 0.5, (0, 1, 1, 1): 0, (1, 1, 1, 1): 1},
    }.items():
        assert {each: group_score(rule, each) for each in scores} == scores
    gains = {("all", 1, 0.5, 1): [0.5, 1, 0.5], ("chain", 1, 0, 1): [1 / 3, 2 / 3, 0], ("square", 1, 0): [0.25, 0.75]}
    for (rule, *each), expected in gains.items():
        assert question_gains(rule, each) == pytest.approx(expected)


@pytest.mark.parametrize("rule", ["all", "square", "chain"])
@pytest.mark.parametrize("options", [(2, 2), (2, 2, 2, 2), (8, 8, 8, 8), (2, 5, 3)])
def test_guessing_is_the_mean_over_everything_that_may_be_guessed(rule, options):
    outcomes = itertools.product(*([(1.0, 1 / n), (0.0, 1 - 1 / n)] for n in options))
    expected = sum(
        group_score(rule, [right for right, _ in outcome]) * np.prod([p for _, p in outcome]) for outcome in outcomes
    )
    assert guessed(rule, [1 / n for n in options]) == pytest.approx(expected)


def test_a_group_without_all_answers_has_no_score():
    answers = [("a", 1, 0, 1.0), ("a", 2, 0, 1.0), ("b", 1, 0, 1.0), ("a", 2, 1, 0.0), ("a", 1, 1, 1.0)]
    assert group_scores(answers, {"a": "all", "b": "all"}, {"a": 2, "b": 2}) == {"a": [1.0, 0.0]}
