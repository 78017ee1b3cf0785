"""Sheets from a seed: every slot once, one item of each test, nothing twice."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from humantrials.protocols.designs.balanced import design_hash, grasp_sheets, smaller

OFFICIAL = {f"test-{test:02}": [f"{test:02}-{clip:02}" for clip in range(40)] for test in range(16)}
pools = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=4), st.integers(1, 9), min_size=1, max_size=8).map(
    lambda sizes: {test: [f"{test}-{clip}" for clip in range(size)] for test, size in sizes.items()}
)


@pytest.mark.requirement("P4")
@settings(max_examples=60, deadline=None)
@given(pools, st.integers(1, 4), st.integers(0, 10_000))
def test_every_slot_is_used_once_on_even_sheets_without_two_items_of_a_test(pool, replicates, seed):
    sheets = grasp_sheets(pool, replicates=replicates, seed=seed)
    used = Counter((slot.item, slot.replicate) for sheet in sheets for slot in sheet)
    assert used == Counter((item, copy) for items in pool.values() for item in items for copy in range(replicates))
    for sheet in sheets:
        tests = [slot.item.partition("-")[0] for slot in sheet]
        assert len(tests) == len(set(tests))
    lengths = [len(sheet) for sheet in sheets]
    assert min(lengths) >= 1
    assert max(lengths) - min(lengths) <= 1


def test_the_same_seed_gives_the_same_design_and_another_seed_another():
    first, again, other = (design_hash(grasp_sheets(OFFICIAL, replicates=3, seed=seed)) for seed in (5, 5, 6))
    assert first == again != other


def test_the_design_of_a_seed_never_changes():
    """Trials are regenerated from their seed years later: this digest must not change."""
    assert design_hash(grasp_sheets({"a": ["a1", "a2"], "b": ["b1"]}, replicates=2, seed=7)) == FROZEN


def test_order_within_a_sheet_is_not_the_order_of_the_tests():
    orders = {tuple(slot.item[:2] for slot in sheet) for sheet in grasp_sheets(OFFICIAL, replicates=1, seed=3)}
    assert len(orders) == 40


@pytest.mark.parametrize(("per_test", "plausible", "implausible"), [(1, 1, 0), (4, 2, 2), (6, 3, 3), (99, 20, 20)])
def test_a_smaller_pool_stays_in_balance(per_test, plausible, implausible):
    pool = {"gravity": {"plausible": [f"p{n}" for n in range(20)], "implausible": [f"q{n}" for n in range(20)]}}
    drawn = Counter(item[0] for item in smaller(pool, per_test, 1, {})["gravity"])
    assert sorted(drawn.values()) == sorted(filter(None, (plausible, implausible)))


FROZEN = "24389c32b651235e70ab58bd0bd28b938156aa9a590ee44c577f8fbd73b3e64b"
