"""Sheets balanced by answer, and the order of sound."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from humantrials.protocols import invariants
from humantrials.protocols.designs.balanced import (
    PoolItem,
    design_hash,
    one_of_each_group,
    one_of_each_group_evened,
    smaller,
)
from humantrials.protocols.designs.crossed import crossed_sheets
from humantrials.protocols.invariants import SlotFact, TrialFacts
from humantrials.running.verification import verify
from tests.humantrials.fixtures import physics_pack, running_trial

HALVES = ("implausible", "plausible")
OFFICIAL = [
    PoolItem(f"{test:02}-{clip:02}", f"{test:02}", HALVES[clip % 2]) for test in range(16) for clip in range(40)
]
FROZEN = "3cd4a421007aeff6ca192c7eeb7c18ade0269b08d6fc52368a9fb499d130dd6e"
pools = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1)


def plausible(sheets, pool) -> Counter[int]:
    known = {one.item: one for one in pool}
    return Counter(sum(known[slot.item].half == "plausible" for slot in sheet) for sheet in sheets)


def test_the_paper_design_has_eight_plausible_clips_on_each_of_its_120_sheets():
    before, now = (compose(OFFICIAL, 3, 1) for compose in (one_of_each_group, one_of_each_group_evened))
    assert plausible(now, OFFICIAL) == {8: 120}
    assert min(plausible(before, OFFICIAL)) <= 4
    assert max(plausible(before, OFFICIAL)) >= 13
    assert {len(sheet) for sheet in now} == {16}
    assert Counter(slot for sheet in now for slot in sheet) == Counter(slot for sheet in before for slot in sheet)
    assert all({slot.item[:2] for slot in sheet} == {f"{test:02}" for test in range(16)} for sheet in now)


@settings(max_examples=40, deadline=None)
@given(pools, st.integers(1, 3), st.integers(0, 1000))
def test_any_pool_keeps_its_slots_and_becomes_as_even_as_swaps_allow(sizes, replicates, seed):
    pool = [
        PoolItem(f"{test}-{half}-{number}", test, half)
        for test, counts in sizes.items()
        for half, count in zip(HALVES, counts, strict=True)
        for number in range(count)
    ]
    before, now = (compose(pool, replicates, seed) for compose in (one_of_each_group, one_of_each_group_evened))
    assert Counter(slot for sheet in now for slot in sheet) == Counter(slot for sheet in before for slot in sheet)
    known = {one.item: one for one in pool}
    for sheet in now:
        tests = [known[slot.item].group for slot in sheet]
        assert len(tests) == len(set(tests))
    equal = len(set(sizes.values())) == 1
    found = plausible(now, pool)
    assert not (equal and found) or max(found) - min(found) <= 1


def test_the_evened_design_of_a_seed_never_changes():
    pool = [PoolItem(f"{test}{number}", test, HALVES[number % 2]) for test in "abcd" for number in range(4)]
    assert design_hash(one_of_each_group_evened(pool, 1, 7)) == FROZEN


def test_an_odd_number_of_each_test_does_not_favour_one_answer():
    pool = {f"t{test}": {half: [f"{half}{number}" for number in range(5)] for half in HALVES} for test in range(10)}
    drawn = Counter(item[0] for items in smaller(pool, 3, 1, {}).values() for item in items)
    assert drawn == {"i": 15, "p": 15}


@pytest.mark.parametrize("replicates", [1, 2, 3, 5])
def test_half_of_the_sheets_begin_with_sound(replicates):
    pool = [PoolItem(f"i{number}", clips=(f"a{number}",)) for number in range(8)]
    begun = Counter(sheet[0].condition for sheet in crossed_sheets(pool, replicates, 1))
    assert begun == {"audio": replicates, "no-audio": replicates}


def test_the_invariants_find_what_is_uneven():
    slots = [
        SlotFact(sheet, f"{test}{HALVES[sheet]}", f"t{test}", 0, half=HALVES[sheet], position=test, condition="audio")
        for sheet in range(2)
        for test in range(4)
    ]
    facts = TrialFacts(1, tuple(slots), {})
    assert not invariants.even_answers(facts)
    assert not invariants.even_order(facts)
    turned = {0: 0, 1: 1, 2: 0, 3: 1}
    even = [replace(one, sheet=(one.sheet + turned[one.position]) % 2) for one in slots]
    assert invariants.even_answers(TrialFacts(1, tuple(even), {}))
    silent = [replace(one, condition="no-audio") if one.sheet else one for one in slots]
    assert invariants.even_order(TrialFacts(1, tuple(silent), {}))


@pytest.mark.django_db
def test_a_study_whose_sheets_are_others_than_its_seed_gives_is_found():
    trial = running_trial(physics_pack(tests=6), replicates=3)
    report = verify(trial)
    assert report.facts["design_ok"]
    assert report.broken == []
    assert "even-answers" in {kept.name for kept in report.invariants}
    trial.slots.filter(pk=trial.slots.first().pk).update(position=99)
    assert "design" in {kept.name for kept in verify(trial).broken}
