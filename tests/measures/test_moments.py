"""Moments: parsing, hits, and recovery of a known lag and guessing rate."""

import numpy as np
import pytest

from measures.detection.moments import figures_of_moments
from measures.scores.moment_answers import MomentAnswer, Window, is_moment_within, moment_in


def test_what_is_read_as_a_moment():
    read = {"4.25": "4.25", "4 s": "4", " 4.0 seconds.": "4", "**Nothing**": "nothing", "nothing.": "nothing", "0": "0"}
    read |= dict.fromkeys(("-1", "4:25", "4 or 5", "nan", "inf", "1e3", ""))
    assert {text: moment_in(text) for text in read} == read


def test_a_hit_is_within_half_a_second_of_the_window():
    hits = {3.4: False, 3.5: True, 4.0: True, 6.5: True, 6.6: False, None: False}
    assert {seconds: MomentAnswer(seconds, Window(4.0, 6.0), "a").is_hit for seconds in hits} == hits
    assert not MomentAnswer(4.0, None, "a").is_hit


def test_figures_of_a_table_made_by_hand():
    window = Window(4.0, 5.0)
    found = figures_of_moments(
        [
            MomentAnswer(5.2, window, 1),
            MomentAnswer(2.0, window, 2),
            MomentAnswer(None, window, 3),
            MomentAnswer(None, window, 4, is_read=False),
            MomentAnswer(7.0, None, 5),
            MomentAnswer(None, None, 6),
        ]
    )
    assert (found.n, found.violations, found.reports) == (6, 4, 2)
    assert (found.hits, found.alarms) == (0.25, 0.5)
    assert (found.error, found.lead) == (pytest.approx(1.6), pytest.approx((0.2 - 3.0) / 2))
    assert found.unread == pytest.approx(1 / 6)
    assert figures_of_moments([]) is None


def test_simulated_markers_are_recovered_within_their_intervals():
    """90 of 100 studies hold both parameters: 70 % of violations seen 0.4 s late, guesses on 20 % of possible clips."""
    rng, held, errors = np.random.default_rng(3), np.zeros(2), []
    for _ in range(100):
        answers = []
        for clip in range(120):
            window = Window(4.0, 6.0) if clip < 60 else None
            reports = rng.random() < (0.7 if window else 0.2)
            seconds = (6.4 + rng.normal(0, 0.02)) if window else rng.uniform(0, 10)
            answers.append(MomentAnswer(seconds if reports else None, window, clip))
        found = figures_of_moments(answers)
        held += [
            found.hits_interval.low <= 0.7 <= found.hits_interval.high,
            found.alarms_interval.low <= 0.2 <= found.alarms_interval.high,
        ]
        errors.append(found.lead)
    assert (held >= 90).all()
    assert np.mean(errors) == pytest.approx(0.4, abs=0.01)


def test_a_crowds_lag_is_recovered_with_people_and_clips_as_samples():
    """90 of 100 intervals of the mean hold it, if people's and clips' lags vary around 0.3 s."""
    rng, held = np.random.default_rng(4), np.zeros(2)
    for _ in range(100):
        people, clips = rng.normal(0, 0.1, 12), rng.normal(0, 0.1, 20)
        lags = 0.3 + people[:, None] + clips + rng.normal(0, 0.1, (12, 20))
        answers = [
            MomentAnswer(5.0 + lag, Window(4.0, 5.0), clip, person=f"P{person}", press=5.0 + lag)
            for person, row in enumerate(lags)
            for clip, lag in enumerate(row)
        ]
        found = figures_of_moments(answers)
        for place, interval in enumerate((found.lead_interval, found.press_interval)):
            held[place] += interval.low <= 0.3 <= interval.high
    assert (held >= 90).all()
    alone = figures_of_moments([MomentAnswer(5.0, Window(4.0, 5.0), 1)])
    assert (alone.lead_interval, alone.press) == (None, None)


@pytest.mark.parametrize(("answer", "is_within"), [("3.2", True), ("4", True), ("4.1", False), ("nothing", False)])
def test_an_answer_is_a_moment_of_its_clip(answer, is_within):
    assert is_moment_within(answer, 4.0) is is_within
