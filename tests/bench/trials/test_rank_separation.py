"""The simulation of ranks, small; `make soak PART=coverage` runs all of it."""

import numpy as np
import pytest

from bench.trials import rank_separation
from bench.trials.rank_separation import Board, Separations, is_off_target, separations


@pytest.mark.parametrize("each", [1, 4])
def test_equal_models_are_separated_on_few_boards_where_the_pairwise_rule_does_so_on_many(each):
    new, old = separations(Board((0.0,) * 20, each, items=128), boards=120, seed=each)
    assert 0 < new.false <= 0.11  # 5 % and 3 standard errors
    assert old.false > new.false or each > 1
    assert (new.found, old.found) == (0, 0), "nothing is there to be found"


def test_models_that_differ_are_found_as_often_as_pairwise():
    new, old = separations(Board((0.0, 0.0, 0.4, 0.4, 0.9), 1, items=256), boards=40)
    assert new.found >= old.found > 0.3
    assert new.false <= 0.1


def test_models_find_the_same_items_hard():
    scores, clip = Board((0.0,) * 40, 4).random_scores(np.random.default_rng(2))
    assert np.bincount(clip).tolist() == [4] * 128
    assert scores.mean(axis=0).std() > 0.15  # 0.08 if they did not


def test_the_target_can_be_missed():
    assert is_off_target(Separations(0.061, 0))
    assert not is_off_target(Separations(0.06, 0))


def test_the_section_is_written_anew_below_what_the_page_holds(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(rank_separation, "separations", lambda *_: (Separations(0.05, 0.5), Separations(0.2, 0.4)))
    monkeypatch.setattr(rank_separation, "PAGE", tmp_path / "coverage.md")
    (tmp_path / "coverage.md").write_text("# Coverage\n\nOf people.\n")
    assert rank_separation.main() == 0
    once = (tmp_path / "coverage.md").read_text()
    rank_separation.main()
    assert (tmp_path / "coverage.md").read_text() == once
    assert once.startswith("# Coverage\n\nOf people.\n\n## Ranks")
    assert [once.count(f"| {size} | 90 % | 4 | 5.0 % | 20.0 % |") for size in rank_separation.SIZES] == [1, 1, 1, 1]
    assert "28 rows of ranks" in capsys.readouterr().out
