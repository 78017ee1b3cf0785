"""The simulations of corners, small; `make soak PART=coverage` runs all of them."""

import numpy as np
import pytest

from tools.bench.trials.interval_coverage import separated, worlds


@pytest.mark.parametrize("rows", [3, 10, 40])
def test_equal_models_are_separated_on_few_boards(rows):
    assert separated(rows, 50, seed=rows) <= 0.06 + 2 * (0.06 * 0.94 / 50) ** 0.5


def test_every_corner_has_an_interval_in_reach():
    rng = np.random.default_rng(1)
    for world in worlds():
        found, _ = world.draw(rng)
        assert found.low < found.high, world.design
        assert found.low - 0.5 < world.truth < found.high + 0.5, world.design
