"""Figures of surprise against the paper's formulas in plain form and scikit-learn, on random tables."""

import os

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from measures.detection.surprise import figures_of_pairs
from measures.scores.clip_surprise import ClipSurprise, NotSurprises, checked_surprises, checked_times, of_clip, paired


def by_the_formulas(losses: np.ndarray) -> list[float]:
    """The paper's rules in order, for `losses` [pairs, 2, windows] with the possible clip first."""
    found = []
    for reduce in (np.mean, np.max):
        possible, impossible = reduce(losses[:, 0], axis=1), reduce(losses[:, 1], axis=1)
        found.append(sum(one < other for one, other in zip(possible, impossible, strict=True)) / len(losses))
    threshold = np.percentile(losses[:, 0].max(axis=1), 90)
    called = losses.max(axis=2) > threshold
    found.append(np.mean(called == np.array([False, True])))
    labels = np.tile([[0], [1]], (len(losses), 2))  # two columns in one call: most of a call checks its arguments
    scores = np.column_stack([reduce(losses, axis=2).ravel() for reduce in (np.mean, np.max)])
    for score in (roc_auc_score, average_precision_score):
        found += list(score(labels, scores, average=None))
    return found


TABLES = int(os.environ.get("SURPRISE_TABLES", "150"))  # `make soak PART=surprise`: a thousand


def test_figures_equal_the_formulas_on_many_tables():
    rng = np.random.default_rng(0)
    for _ in range(TABLES):
        losses = rng.integers(0, 6, (rng.integers(1, 30), 2, rng.integers(1, 6))).astype(float)  # with many ties
        found = figures_of_pairs([(of_clip(pair[0]), of_clip(pair[1])) for pair in losses])
        assert [
            found.relative_mean,
            found.relative_most,
            found.absolute_most,
            found.area_mean,
            found.area_most,
            found.precision_mean,
            found.precision_most,
        ] == pytest.approx(by_the_formulas(losses), abs=1e-12)


def test_a_tie_is_wrong_and_an_interval_holds_the_share():
    same, more = ClipSurprise(1.0, 2.0), ClipSurprise(2.0, 2.0)
    found = figures_of_pairs([(same, same), (same, more)])
    assert (found.relative_mean, found.relative_most) == (0.5, 0.0)
    assert found.relative_mean_interval.low < 0.5 < found.relative_mean_interval.high
    assert figures_of_pairs([]) is None


def test_pairs_need_both_clips():
    clips = {"P/0": of_clip([1.0]), "IP/0": of_clip([2.0]), "P/1": of_clip([1.0])}
    twins = {"P/0": "IP/0", "IP/0": "P/0", "P/1": "IP/1"}
    possible = {"P/0": True, "P/1": True, "IP/0": False}
    assert paired(clips, twins, possible) == [(clips["P/0"], clips["IP/0"])]


def test_what_is_no_surprise_or_no_time_is_refused():
    lists = {"must be a list of numbers": ([], "1"), "surprise 2 is 'nan', not a finite number": ([1, float("nan")],)}
    lists |= {f"surprise 1 is '{value}'": ([value],) for value in (float("inf"), None, True)}
    for why, values in lists.items():
        for each in values:
            with pytest.raises(NotSurprises, match=why):
                checked_surprises(each)
    for times, why in (([1], "a list of 2 seconds"), ([2, 1], "must ascend"), ([-1, 1], "time 1 is '-1'")):
        with pytest.raises(NotSurprises, match=why):
            checked_times(times, 2)
    assert checked_times([0, 1], 2) == [0.0, 1.0]
    with pytest.raises(ValueError, match="not a finite number"):
        figures_of_pairs([(ClipSurprise(1.0, 1.0), ClipSurprise(float("nan"), 1.0))])
