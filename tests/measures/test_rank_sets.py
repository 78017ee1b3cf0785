from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.special import expit

from measures.comparing.comparison import sign_flip
from measures.comparing.rank_sets import rank_groups, rank_sets, rows_below
from measures.shares.intervals import clustered_sums


def scored(*shares, items=200, seed=0):
    """Scores of rows with these shares of right answers; all rows find the same items hard."""
    hard = np.random.default_rng(seed).permutation(items)
    return np.array([hard < share * items for share in shares], float)


def below(scores, clusters=None, sizes=None, **more):
    clusters = np.arange(scores.shape[1]) if clusters is None else clusters
    return rows_below(scores, np.ones_like(scores) if sizes is None else sizes, np.asarray(clusters), **more)


def pairs(matrix):
    return sorted(map(tuple, np.argwhere(matrix).tolist()))


def test_a_row_lies_below_those_that_are_right_where_it_is_wrong_and_no_equal_one():
    assert pairs(below(scored(0.9, 0.5, 0.51))) == [(1, 0), (2, 0)]
    assert not below(scored(0.5, 0.5, 0.5)).any()
    assert not below(scored(0.0, 1.0), clusters=np.zeros(200, int)).any()


@pytest.mark.parametrize("seed", range(6))
def test_two_rows_are_separated_where_the_paired_test_separates_them(seed):
    rng = np.random.default_rng(seed)
    scores, clips = rng.random((2, 90)) < [[0.5], [0.66]], np.arange(90) // 3
    p = sign_flip((1.0 * scores[0] - scores[1]).tolist(), clips.tolist())
    assert abs(p - 0.05) > 0.01, "both are drawn"
    assert below(scores.astype(float), clips).any() == (p < 0.05)


def step_down(scores, level=0.05):
    """The procedure word for word over all sign patterns: test, drop what is separated, test the rest again."""
    rows, items = scores.shape
    open_pairs = {(a, b): scores[a] - scores[b] for a, b in product(range(rows), repeat=2) if a < b}
    signs, found = np.array(list(product((-1, 1), repeat=items))), []
    while open_pairs:
        table = np.array([gap / np.sqrt((gap**2).sum() or 1) for gap in open_pairs.values()])
        critical = np.quantile(np.abs(signs @ table.T).max(axis=1), 1 - level, method="higher")
        new = [pair for pair, row in zip(open_pairs, table, strict=True) if abs(row.sum()) > critical + 1e-9]
        if not new:
            break
        found += [pair if open_pairs[pair].sum() < 0 else pair[::-1] for pair in new]
        open_pairs = {pair: gap for pair, gap in open_pairs.items() if pair not in new}
    return sorted(found)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_step_down_procedure_over_all_sign_patterns(seed):
    rng = np.random.default_rng(seed)
    scores = (rng.random((4, 14)) < np.array([[0.05], [0.1], [0.6], [0.97]])).astype(float)
    assert pairs(below(scores, draws=9_999)) == step_down(scores) != []


def test_the_steps_separate_more_than_the_first_critical_value():
    """Six distant rows are separated first; the first two then need only their own paired test."""
    close = np.zeros((2, 400))
    close[1, :7] = 1
    far = np.repeat(np.linspace(0.2, 1, 6)[:, None], 400, axis=1) > (np.arange(400) / 400)
    assert (0, 1) in pairs(below(np.vstack([close, far])))
    assert (0, 1) not in pairs(below(np.vstack([close, np.random.default_rng(1).random((6, 400)) < 0.5])))


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_items_and_the_names_of_clusters_do_not_matter(seed):
    """Few draws, so that other signs for a cluster would probably separate other pairs."""
    rng = np.random.default_rng(seed)
    scores, clips = (rng.random((6, 120)) < np.linspace(0.4, 0.75, 6)[:, None]).astype(float), np.arange(120) // 2
    order, renamed = rng.permutation(120), rng.permutation(60)
    there = below(scores[:, order], renamed[clips][order], draws=39)
    assert pairs(there) == pairs(below(scores, clips, draws=39))


def test_rows_are_compared_by_their_own_means_where_answers_are_missing():
    scores, sizes = scored(0.9, 0.5, 0.9, items=400), np.ones((3, 400))
    sizes[1, ::2], sizes[2, 1::2] = 0, 0
    assert pairs(below(scores * sizes, sizes=sizes)) == [(1, 0), (1, 2)]
    sizes[2] = 0
    assert pairs(below(scores * sizes, sizes=sizes)) == [(1, 0)], "who answered nothing is separated from nobody"


def test_missing_answers_separate_equal_rows_no_more_often_than_promised():
    rng, found = np.random.default_rng(3), 0
    for _ in range(200):
        sizes = (rng.random((6, 96)) < 0.7).astype(float)
        found += below((rng.random((6, 96)) < 0.8) * sizes, sizes=sizes, clusters=np.arange(96) // 3, draws=199).any()
    assert 0 < found <= 20  # 5 % of 200, and 3 standard errors


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"totals \(2, 3\), sizes \(2, 3\) and clusters \(4,\)"):
        rows_below(np.zeros((2, 3)), np.ones((2, 3)), np.arange(4))
    assert below(np.zeros((1, 3))).tolist() == [[False]]
    assert below(np.zeros((0, 3))).tolist() == []


def test_ranks_count_the_rows_above_and_below():
    matrix = np.zeros((4, 4), bool)
    matrix[1, 0] = matrix[2, 0] = matrix[3, 0] = matrix[3, 1] = True
    assert rank_sets(matrix) == [(1, 1), (2, 3), (2, 4), (3, 4)]
    assert rank_groups(matrix, [0.9, 0.5, 0.4, 0.3]) == [1, 2, 2, 3]


@given(some.integers(0, 9).flatmap(lambda n: some.lists(some.floats(0, 1), min_size=n, max_size=n)), some.randoms())
def test_every_row_of_a_later_group_lies_below_the_first_of_each_earlier(scores, rng):
    n = len(scores)
    matrix = np.array([[scores[a] < scores[b] and rng.random() < 0.7 for b in range(n)] for a in range(n)])
    matrix = matrix.reshape(n, n).astype(bool)
    groups = rank_groups(matrix, scores)
    order = sorted(range(n), key=lambda row: -scores[row])
    firsts = {groups[row]: row for row in reversed(order)}
    assert [groups[row] for row in order] == sorted(groups)
    assert all(matrix[row, first] for row in order for group, first in firsts.items() if group < groups[row])


def test_objects_in_pairs_that_make_items_hard_for_one_row_separate_nothing():
    """Two rows differ only on the items of one object, which does not generalise to other objects."""
    rng = np.random.default_rng(1)
    objects = np.array([rng.choice(30, 2, replace=False) for _ in range(300)])
    scores = np.ones((2, 300))
    scores[0, (objects == 0).any(axis=1)] = 0
    assert below(scores, objects[:, 0] * 300 + np.arange(300)).any()
    assert not below(scores, objects).any()


def test_a_label_that_is_given_twice_is_one_cluster():
    scores, clips = scored(0.6, 0.5, 0.4), np.arange(200) // 4
    assert (below(scores, clips) == below(scores, np.stack([clips, clips], axis=1))).all()


@pytest.mark.parametrize("seed", range(3))
def test_equal_rows_are_seldom_separated_where_objects_in_pairs_are_random(seed):
    rng, objects = np.random.default_rng(seed), 40
    pairs_of_objects = np.array([rng.choice(objects, 2, replace=False) for _ in range(300)])
    false = 0
    for _ in range(200):
        effects = rng.normal(0, 1, (2, objects))
        logits = effects[:, pairs_of_objects].sum(axis=2) + rng.normal(0, 1, (2, 300))
        scores = (logits > 0).astype(float)
        false += below(scores, pairs_of_objects, draws=199).any()
    assert false <= 22  # of 200: 5 % are 10, and 22 has a chance of 0.04 %


# --- boards of models that find the same items hard, in simulation ---


def simulated(levels, each, items, rng):
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
        scores, clip = simulated(levels, each, items, np.random.default_rng([each, number]))
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
