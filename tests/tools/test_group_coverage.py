"""The simulation of groups of questions, small; `make soak PART=coverage` runs all of it."""

import numpy as np
import pytest

from tools.bench.trials import interval_coverage
from tools.bench.trials.dependence_coverage import held_by, panel_of
from tools.bench.trials.interval_coverage import groups_alone, groups_and_a_model, parts_of, true_score


def test_an_answer_counts_by_its_swing_times_the_other_scores_of_its_group():
    panel = panel_of(12, 100, 3, np.random.default_rng(1))
    sampled = (np.random.default_rng(2).random(len(panel.item)) < 0.7).astype(float)
    scores, hang = parts_of(sampled, panel, 2)
    for answer in (0, 57, 400, 1199):
        turned = sampled.copy()
        turned[answer] = 1 - turned[answer]
        group = panel.item[answer] // 2
        moved = parts_of(turned, panel, 2)[0][group] - scores[group]
        assert moved == pytest.approx(hang[answer] * (1 - 2 * sampled[answer]))


def test_people_as_samples_hold_the_truth_and_as_fixed_they_do_not(monkeypatch):
    monkeypatch.setattr(interval_coverage, "FOR_TRUTH", 400)
    true_score.cache_clear()
    found = held_by(groups_and_a_model(12, 100, 2, 0.7), 200, seed=5)
    assert 0.92 <= found.share <= 0.99
    assert found.simple <= 0.86
    alone = held_by(groups_alone(12, 100, 2, 0.7), 200, seed=5)
    assert alone.share >= 0.93
    assert alone.simple <= 0.86
    true_score.cache_clear()


def test_both_tables_have_a_row_for_each_design(monkeypatch):
    monkeypatch.setattr(interval_coverage, "true_score", lambda *_: 0.5)
    monkeypatch.setattr(interval_coverage, "held_by", lambda world, *_: world.design)
    tables = [(name, rows) for _, name, rows in interval_coverage.measured_groups(7)]
    assert [name for name, _ in tables] == ["difference", "group score"]
    assert {rows.count("40 people × 21, pairs, one person right on 90 %") for _, rows in tables} == {1}
