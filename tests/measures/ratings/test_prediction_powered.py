"""People rated some prompts and a judge all of them; worlds whose truth is known."""

import numpy as np
import pytest

from measures.ratings.prediction_powered import bias_rows, powered_rows
from measures.ratings.rated_clips import Ratings, mean_rows
from tests.measures.ratings.test_rated_clips import CUTS

MEAN = [(1.0, [0])]
PROMPTS, RATED, ROWS, PEOPLE = 60, 24, 4, 24


def world(random, noise):
    """People's ratings of the first prompts, and those of a judge, a step higher, of all."""
    prompt, row, turn = (axis.ravel() for axis in np.mgrid[:RATED, :ROWS, :3])
    person = np.stack([random.permutation(PEOPLE)[: 3 * ROWS] for _ in range(RATED)])[prompt, row * 3 + turn]
    worth = random.normal(0, 0.8, (PROMPTS, ROWS)) + random.normal(0, 0.4, PROMPTS)[:, None]
    seems = worth[prompt, row] + random.normal(0, 0.3, PEOPLE)[person] + random.normal(0, 0.8, len(row))
    zeros = np.zeros_like(row)
    people = Ratings(1.0 + np.searchsorted(CUTS, seems), row, prompt, prompt * ROWS + row, zeros, person)
    prompt, row = (axis.ravel() for axis in np.mgrid[:PROMPTS, :ROWS])
    zeros = np.zeros_like(row)
    steps = 2.0 + np.searchsorted(CUTS, worth[prompt, row] + random.normal(0, noise, len(row)))
    return people, Ratings(steps, row, prompt, prompt * ROWS + row, zeros, zeros)


@pytest.mark.parametrize(("noise", "narrower"), [(0.3, 0.9), (8.0, 1.02)])
def test_intervals_hold_the_truth_and_are_narrower_with_a_good_judge(noise, narrower):
    random = np.random.default_rng(5)
    held, widths = [], []
    for _ in range(120):
        people, judged = world(random, noise)
        helped, alone = powered_rows(people, judged, MEAN, ROWS), mean_rows(people, MEAN, ROWS)
        held += [helped.of_row(row).holds(3.0) for row in range(ROWS)]  # steps are symmetric about 3
        widths += [(helped.of_row(row).half_width, alone.of_row(row).half_width) for row in range(ROWS)]

    assert 0.92 < np.mean(held) < 0.98
    assert np.divide(*np.mean(widths, axis=0)) < narrower


def test_bias_of_a_judge_cancels():
    people, judged = world(np.random.default_rng(1), 0.3)
    higher = Ratings(judged.values + 2, *(getattr(judged, name) for name in list(vars(judged))[1:]))

    found = [powered_rows(people, each, MEAN, ROWS).values for each in (judged, higher)]

    assert found[0] == pytest.approx(found[1])


def test_bias_is_judge_minus_people_and_prompts_cancel_in_it():
    """All rated the same clips: what prompts share is in neither's favour."""
    random = np.random.default_rng(3)
    held, widths = [], []
    for _ in range(80):
        people, judged = world(random, 0.3)
        same = judged.only(judged.prompts < RATED)
        bias = bias_rows(people, same, MEAN, ROWS)
        held += [bias.of_row(row).holds(TRUE) for row in range(ROWS)]
        widths.append(bias.of_row(0).half_width / mean_rows(same, MEAN, ROWS).of_row(0).half_width)

    assert 0.91 < np.mean(held) < 0.99
    assert np.mean(widths) < 1.0


TRUE = 1.0  # a step, as both scales are symmetric about 3
