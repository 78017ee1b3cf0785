"""The simulation of panels of people, small; `make soak PART=coverage` runs all of it."""

import pytest

from tools.bench.trials import interval_coverage
from tools.bench.trials.dependence_coverage import ONE_TEST, PANELS, held_by, single_answers_of


@pytest.mark.requirement("P13")
@pytest.mark.parametrize("panel", [PANELS[0], ONE_TEST])
def test_the_two_way_interval_covers_the_truth_in_studies_of_the_real_design(panel):
    found = held_by(single_answers_of(*panel, 0.8), 500, seed=1)
    assert 0.92 <= found.share <= 0.98  # ± 1 point by chance


def test_a_row_that_must_hold_and_does_not_ends_the_program_with_1(monkeypatch, capsys):
    monkeypatch.setattr(interval_coverage, "DRAWS", 1)  # all or nothing is off the target
    assert interval_coverage.main("people") == 1
    table, complaints = capsys.readouterr()
    assert "| 120 people × 16, the majority of 3, spread of items 1.0 | " in table
    assert "120 people × 1, one person, spread of items 1.0, at 60 %" in complaints
    assert "majority" not in complaints
