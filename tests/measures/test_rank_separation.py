"""How often boards of models that find the same items hard separate two of them, falsely and rightly, in simulation."""

import numpy as np
import pytest
from scipy.special import expit

from measures.comparing.rank_sets import rows_below
from measures.shares.intervals import clustered_sums


def scores_of(levels, each, items, rng):
    """Scores (models × items) and each item's clip; logit = level + item, and + model at the clip if it has several."""
    clip = np.repeat(np.arange(items // each), each)
    own = 0.7 * rng.standard_normal((len(levels), items // each))[:, clip] if each > 1 else 0.0
    hard = rng.standard_normal(items // each)[clip]
    chance = expit(np.array(levels)[:, None] + hard + own)
    return (rng.random(chance.shape) < chance).astype(float), clip


def overlap(scores, clip):
    """Which row lies below which other by the pairwise rule: their intervals do not overlap."""
    found = [clustered_sums(np.bincount(clip, row), np.bincount(clip).astype(float)) for row in scores]
    return np.array([[one.high < other.low for other in found] for one in found])


def separations(levels, each, items, boards):
    """(share of boards with a false separation, share of different pairs found), simultaneously and pairwise."""
    truly, found = np.array(levels)[:, None] < np.array(levels)[None], np.zeros((2, 2))
    for number in range(boards):
        scores, clip = scores_of(levels, each, items, np.random.default_rng([each, number]))
        for rule, below in enumerate((rows_below(scores, np.ones_like(scores), clip), overlap(scores, clip))):
            found[rule] += (below & ~truly).any(), (below & truly).sum() / max(1, truly.sum())
    return (found / boards).tolist()


@pytest.mark.parametrize("each", [1, 4])
def test_equal_models_are_separated_on_few_boards_where_the_pairwise_rule_does_so_on_many(each):
    (new, found), (old, _) = separations((0.0,) * 20, each, 128, 120)
    assert 0 < new <= 0.11  # 5 % and 3 standard errors
    assert old > new or each > 1
    assert found == 0, "nothing is there to be found"


def test_models_that_differ_are_found_as_often_as_pairwise():
    (false, new), (_, old) = separations((0.0, 0.0, 0.4, 0.4, 0.9), 1, 256, 40)
    assert new >= old > 0.3
    assert false <= 0.1
