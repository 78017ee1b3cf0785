"""Sheets of clips and of pairs, on drawn shapes: any number of generators, prompts, takes and pages, with gaps."""

from collections import Counter, defaultdict
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.generated.rating.designs import (
    break_sheets,
    cell_of,
    latin_sheets,
    pair_sheets,
    stretches,
    tournament,
    triple_sheets,
)
from extensions.generated.rating.invariants import OF_CLIPS, OF_PAIRS, OF_TRIPLES
from humantrials.protocols.designs.balanced import PoolItem
from humantrials.protocols.invariants import SlotFact, TrialFacts


def clips(generators, prompts, takes=1, pages=1, gaps=()):
    """A pool of clips; `gaps` are numbers of clips that are missing."""
    cells = product(range(1, generators + 1), range(1, prompts + 1), range(1, takes + 1))
    return [
        PoolItem(f"g{code}p{prompt}t{take}q{page}", f"p{prompt:03}", f"s{code}.{take}.{page}")
        for number, (code, prompt, take) in enumerate(cells)
        for page in range(1, pages + 1)
        if number not in gaps
    ]


def pairs(generators, prompts, gaps=()):
    cells = product(permutations(range(1, generators + 1), 2), range(1, prompts + 1))
    return [
        PoolItem(f"g{a}-{b}p{prompt}", f"p{prompt:03}", f"s{a}-s{b}.1")
        for number, ((a, b), prompt) in enumerate(cells)
        if number not in gaps
    ]


def triples(generators, prompts, takes=1, pages=1, gaps=()):
    """Each clip first, with the ones that stand one and three behind it round the circle of those that are there."""
    return [
        PoolItem(f"g{three}p{prompt}t{take}q{page}", f"p{prompt:03}", f"s{'-s'.join(map(str, three))}.{take}.{page}")
        for prompt, take in product(range(1, prompts + 1), range(1, takes + 1))
        if len(ring := [g for g in range(1, generators + 1) if (g * prompt * take) not in gaps]) > 2
        for place in range(len(ring))
        for three in [[ring[(place + step) % len(ring)] for step in (0, 1, 3 if len(ring) > 3 else 2)]]
        for page in range(1, pages + 1)
    ]


def facts_of(pool, sheets, replicates):
    known = {one.item: one for one in pool}
    slots = [
        SlotFact(number, slot.item, known[slot.item].group, 0, half=known[slot.item].half, position=position)
        for number, sheet in enumerate(sheets)
        for position, slot in enumerate(sheet)
    ]
    return TrialFacts(replicates, tuple(slots), {})


def broken(invariants, pool, sheets, replicates):
    facts = facts_of(pool, sheets, replicates)
    return [invariant.name for invariant in invariants if not invariant.holds(facts)]


def asks_everything(pool, sheets, replicates):
    wanted = Counter((one.item, replicate) for one in pool for replicate in range(replicates))
    return Counter((slot.item, slot.replicate) for sheet in sheets for slot in sheet) == wanted


shapes = st.tuples(st.integers(2, 13), st.integers(1, 50), st.integers(1, 2), st.integers(1, 2))
gap_sets = st.sets(st.integers(0, 1600), max_size=40)


@settings(max_examples=25)
@given(shapes, gap_sets | st.just(set()), st.integers(1, 3), st.integers(0, 99))
def test_every_clip_is_asked_k_times_and_all_invariants_hold(shape, gaps, replicates, seed):
    pool = clips(*shape, gaps)
    for design in (latin_sheets, break_sheets):
        sheets = design(pool, replicates, seed)
        assert asks_everything(pool, sheets, replicates)
        assert broken(OF_CLIPS, pool, sheets, replicates) == []
        assert sheets == design(pool[::-1], replicates, seed)


@settings(max_examples=25)
@given(st.integers(2, 9), st.integers(1, 60), gap_sets | st.just(set()), st.integers(1, 3), st.integers(0, 99))
def test_every_pair_is_asked_k_times_and_all_invariants_hold(generators, prompts, gaps, replicates, seed):
    pool = pairs(generators, prompts, gaps)
    sheets = pair_sheets(pool, replicates, seed)
    assert asks_everything(pool, sheets, replicates)
    assert broken(OF_PAIRS, pool, sheets, replicates) == []


@settings(max_examples=25)
@given(shapes, gap_sets | st.just(set()), st.integers(1, 3), st.integers(0, 99))
def test_every_triple_is_asked_k_times_and_all_invariants_hold(shape, gaps, replicates, seed):
    pool = triples(*shape, gaps)
    sheets = triple_sheets(pool, replicates, seed)
    assert asks_everything(pool, sheets, replicates)
    assert broken(OF_TRIPLES, pool, sheets, replicates) == []
    assert max(map(len, sheets), default=0) <= 10 * shape[3]


@pytest.mark.parametrize(("generators", "prompts"), [(11, 24), (8, 250), (2, 100), (7, 30), (24, 48), (30, 60)])
def test_sheets_have_12_to_24_clips_and_each_generator_equally_often(generators, prompts):
    pool = clips(generators, prompts, pages=2)
    for sheet in latin_sheets(pool, 1, 5):
        cells = [cell_of(next(one.half for one in pool if one.item == slot.item)) for slot in sheet[::2]]
        assert 12 <= len(cells) <= 24
        n = Counter(cell.sets for cell in cells)
        assert max(n.values()) - min(n[f"s{code}",] for code in range(1, generators + 1)) <= 1


def test_stretches_are_whole_units_where_none_gets_short():
    assert stretches(96, 24, unit=8) == [(0, 24), (24, 48), (48, 72), (72, 96)]
    assert [end - begin for begin, end in stretches(100, 24, unit=11)] == [20] * 5
    assert stretches(5, 24, unit=2) == [(0, 5)]


def test_people_who_see_one_generator_on_a_prompt_differ_between_replicates():
    """Else the same people would judge the same clips, and their tastes could not be told from the clips'."""
    pool = clips(4, 40)
    beside = defaultdict(set)
    for sheet in latin_sheets(pool, 2, 1):
        for slot in sheet:
            beside[slot.item, slot.replicate] = {other.item for other in sheet} - {slot.item}
    shared = [len(beside[one.item, 0] & beside[one.item, 1]) for one in pool]
    assert max(shared) < 15


def test_order_on_a_sheet_says_nothing_about_generators():
    pool = clips(6, 24)
    known = {one.item: cell_of(one.half).sets for one in pool}
    sheets = [[known[slot.item] for slot in sheet] for seed in range(60) for sheet in latin_sheets(pool, 1, seed)]
    first = Counter(sheet[0] for sheet in sheets)
    assert all(35 <= n <= 90 for n in first.values()), first  # 60 expected; a fixed order gives 360 to one
    again = sum(sheet[place] == sheet[place - 6] for sheet in sheets for place in range(6, 24))
    assert again / (len(sheets) * 18) < 0.2  # a sixth at random; all in the order of the circle


@pytest.mark.parametrize("generators", range(2, 14))
def test_a_tournament_has_both_orders_of_every_pair_once_and_everybody_once_a_round(generators):
    codes = [f"s{code}" for code in range(generators)]
    circle = tournament(codes)
    assert sorted(circle) == sorted(permutations(codes, 2))
    size = generators // 2
    for begin in range(0, len(circle), size):
        assert len({code for sets in circle[begin : begin + size] for code in sets}) == 2 * size


def moved(sheets, number, sheet):
    return (*sheets[:number], sheet, *sheets[number + 1 :])


def test_each_invariant_finds_what_it_is_for():
    pool = clips(3, 12, pages=2)
    sheets = latin_sheets(pool, 1, 1)
    first = sheets[0]
    assert broken(OF_CLIPS, pool, moved(sheets, 0, (first[1], first[0], *first[2:])), 1) == ["page-order"]
    assert broken(OF_CLIPS, pool, moved(sheets, 0, (first[2], *first[:2], *first[3:])), 1) == ["page-order"]
    both = [(*sheets[0], *sheets[1]), sheets[2]]
    assert broken(OF_CLIPS, pool, both, 1) == ["one-clip-a-prompt"]
    known = {one.item: one for one in pool}
    clip = cell_of(known[first[0].item].half).sets
    fewer = tuple(slot for slot in first if cell_of(known[slot.item].half).sets != clip)
    assert broken(OF_CLIPS, pool, (*sheets, first, fewer), 1) == ["exactly-k-slots", "even-generators"]


def test_uneven_pairs_are_found_where_none_is_missing():
    pool = pairs(4, 12)
    sheets = pair_sheets(pool, 1, 1)
    left = tuple(slot for sheet in sheets for slot in sheet if slot.item.startswith("g1-2"))
    assert broken(OF_PAIRS, pool, (*sheets, left), 1) == ["exactly-k-slots", "even-places"]
    pool = triples(5, 12, pages=2)
    sheets = triple_sheets(pool, 1, 1)
    one = tuple(slot for sheet in sheets for slot in sheet if slot.item.startswith("g[1, 2, 4]"))
    assert broken(OF_TRIPLES, pool, (*sheets, one), 1) == ["exactly-k-slots", "even-places"]
