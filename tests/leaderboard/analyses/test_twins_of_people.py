"""Twins by people's majorities: both of a pair right, and each clip by itself; people and pairs are samples."""

import pytest

from benchmarks.packs.item_arrays import ALL, facts_of
from leaderboard.analyses import twins
from leaderboard.standings.human_rows import rows_of_trial

pytestmark = pytest.mark.django_db


@pytest.fixture
def found(study, physics, monkeypatch):
    """The study's six clips as three pairs."""
    items = list(physics.items.order_by("pk").values_list("pk", flat=True))
    monkeypatch.setattr(twins, "are_matched", lambda pack: True)
    monkeypatch.setattr(twins, "pairs_of", lambda pack, facts: list(zip(items[::2], items[1::2], strict=True)))
    return twins.twins_of_people(study, "", facts_of(physics), "plausibility")["all"][ALL]


def test_a_pair_is_right_where_both_majorities_are(found):
    assert (found["pairs"], found["both"]["score"]) == (3, pytest.approx(2 / 3, abs=1e-6))


def test_single_clips_have_the_score_of_the_row_and_are_surer_than_pairs(found, study):
    (row,) = rows_of_trial(study)
    assert found["single"]["score"] == pytest.approx(row.overall["score"], abs=1e-6)
    both, single = (found[name]["high"] - found[name]["low"] for name in ("both", "single"))
    assert 0 < single < both < 1
