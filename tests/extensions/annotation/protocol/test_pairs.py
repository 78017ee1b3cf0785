"""Splits, pairs and questions follow the paper, for any seed and number of objects."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from extensions.annotation.protocol.pairs import (
    SPLITS,
    SPLITS_OF,
    for_writers,
    paired,
    questions_for,
    split_objects,
    split_sizes,
)

SEEDS = st.integers(0, 2**31)
several = settings(max_examples=40, deadline=None)


def pairs_among(count, seed):
    return paired(split_objects(range(count), seed), seed)


def test_the_release_s_numbers_come_out():
    splits = split_objects(range(1526), seed=1)
    assert Counter(splits.values()) == {"train": 1224, "val": 150, "test": 152}
    pairs = paired(splits, seed=1)
    assert Counter(pair.split for pair in pairs) == {"train": 1836, "val": 225, "test": 228}
    writers = for_writers(pairs, seed=1)
    assert Counter(pairs[place].split for place in writers) == {"train": 193, "val": 24, "test": 25}
    assert len(pairs) - len(writers) == 2047


@several
@given(count=st.integers(2, 90), seed=SEEDS)
def test_each_object_meets_three_of_its_own_split(count, seed):
    splits = split_objects(range(count), seed)
    pairs = paired(splits, seed)
    assert len({frozenset((pair.first, pair.second)) for pair in pairs}) == len(pairs)
    assert all(splits[pair.first] == splits[pair.second] == pair.split for pair in pairs)
    met = Counter(number for pair in pairs for number in (pair.first, pair.second))
    for split in SPLITS:
        numbers = [number for number, its in splits.items() if its == split]
        wanted = min(3, len(numbers) - 1)
        short = [number for number in numbers if met[number] != wanted]
        assert len(short) <= (wanted * len(numbers)) % 2
        assert all(met[number] == wanted - 1 for number in short)


@several
@given(count=st.integers(2, 2000))
def test_no_split_holds_a_single_object(count):
    sizes = split_sizes(count)
    assert sum(sizes.values()) == count
    assert 1 not in sizes.values()
    assert sizes["train"] >= 2
    assert (count < 6) == (0 in sizes.values())


@several
@given(count=st.integers(6, 60), seed=SEEDS)
def test_the_same_seed_draws_the_same_whatever_the_order_of_the_objects(count, seed):
    assert split_objects(range(count), seed) == split_objects(range(count)[::-1], seed)
    splits = split_objects(range(count), seed)
    assert paired(splits, seed) == paired(dict(reversed(splits.items())), seed)


def test_another_seed_draws_otherwise():
    assert split_objects(range(40), 1) != split_objects(range(40), 2)
    splits = split_objects(range(40), 1)
    assert paired(splits, 1) != paired(splits, 2)
    assert for_writers(paired(splits, 1), 1) != for_writers(paired(splits, 1), 3)


def test_either_object_may_be_the_first():
    assert {pair.first < pair.second for pair in pairs_among(60, 3)} == {True, False}


@several
@given(count=st.integers(6, 60), seed=SEEDS, each=st.integers(1, 20))
def test_a_pair_draws_only_from_the_questions_of_its_splits(count, seed, each):
    pairs = pairs_among(count, seed)
    writers = for_writers(pairs, seed)
    questions = {10 * place + number: pairs[place].split for place in writers for number in range(3)}
    others = {place: pair.split for place, pair in enumerate(pairs) if place not in writers}
    drawn = questions_for(others, questions, seed, each=each)
    assert list(drawn) == list(others)
    for place, split in others.items():
        may = {question for question, its in questions.items() if its in SPLITS_OF[split]}
        assert set(drawn[place]) <= may
        assert len(set(drawn[place])) == len(drawn[place]) == min(each, len(may))


@several
@given(count=st.integers(6, 60), seed=SEEDS)
def test_questions_are_spread_evenly(count, seed):
    pairs = dict(enumerate(pair.split for pair in pairs_among(count, seed)))
    questions = {number: SPLITS[number % 3] for number in range(60)}
    drawn = questions_for(pairs, questions, seed)
    for split in SPLITS:
        used = Counter(question for pair, its in pairs.items() if its == split for question in drawn[pair])
        times = [used[question] for question, its in questions.items() if its in SPLITS_OF[split]]
        assert max(times) - min(times) <= 1


@several
@given(count=st.integers(2, 80), seed=SEEDS)
def test_training_always_has_pairs_to_write_for_and_every_larger_split_too(count, seed):
    pairs = pairs_among(count, seed)
    writers = for_writers(pairs, seed)
    of_split = Counter(pair.split for pair in pairs)
    written = Counter(pairs[place].split for place in writers)
    assert written["train"] >= 1
    assert all(written[split] >= 1 for split, its in of_split.items() if its > 1)
