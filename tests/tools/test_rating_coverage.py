"""The simulation of rounds, small; `python -m tools.bench.trials.rating_coverage` runs all of it."""

import numpy as np
import pytest

from tools.bench.trials import rating_coverage
from tools.bench.trials.rating_coverage import RatedDesign, figures, lines, main, measured, off_target, round_of, truths

SMALL = RatedDesign("small", 16, 12, 3)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(rating_coverage, "MANY", 4_000)


def test_true_figures_are_those_of_a_large_round():
    known = truths(SMALL, 1)
    large = figures(*round_of(np.random.default_rng(8), RatedDesign("", 3_000, 400, 3), SMALL.made), 3)

    assert set(known) == {"mean", "share ≥ 4", "both ≥ 4", "failing", "strength"}
    assert known["mean"] == pytest.approx(large["mean"].values, abs=0.15)
    assert known["failing"][0] < known["failing"][1] < known["failing"][2]
    assert (known["both ≥ 4"] <= known["share ≥ 4"]).all()


def test_intervals_of_a_few_worlds_hold_and_lines_say_so(monkeypatch, capsys):
    held, apart = measured(SMALL, 25, 3)

    assert all(share > 0.8 for share in held.values())
    assert all(share < 0.25 for share in apart.values())
    results = [(SMALL, dict.fromkeys(held, 0.95), dict.fromkeys(held, 0.05))]
    assert list(lines(results))[-1] == "| small | " + " | ".join(["95.0 / 5.0"] * 5) + " |"
    assert list(off_target(results)) == []
    monkeypatch.setattr(rating_coverage, "DESIGNS", (SMALL,))
    monkeypatch.setattr(rating_coverage, "measured", lambda *_: ({"mean": 0.91}, {"mean": 0.07}))
    assert main(1) == 1
    assert "small, mean: 91.0 / 7.0" in capsys.readouterr().err
