"""The four choices: no rule without the pattern is right more often than chance."""

import hashlib
import os
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest

from measures.estimate import family
from scenes.giraffe import scenarios
from scenes.giraffe.balance import places_of
from scenes.giraffe.drawing import pixels_of
from scenes.giraffe.generate import keys_of, puzzle_of, record_of
from scenes.giraffe.puzzles.hand import compositions
from scenes.giraffe.scenarios import BEYOND, SCENARIOS, puzzle, shows_its_turns
from tests.scenes.giraffe.shortcuts import RULES, ShownAndChoices, repeated

EACH = int(os.environ.get("CHOICE_ITEMS", 48))  # items of each scenario; 288 in `make soak`
MORE = max(EACH, 64)  # of the two scenarios in which the right choice is hardest to hide
ALPHA = 0.05


def drawn(pictures):
    return np.stack([pixels_of(picture, 64)[..., :3].astype(np.int16) for picture in pictures])


@dataclass(frozen=True)
class Compared:
    """An item's right choice, that of each rule, how unlike any two choices are, and how many repeat a shown one."""

    right: int
    chosen: dict[str, int]
    unlike: int
    repeats: int


def judged(puzzle, right):
    choices = [miss.picture for miss in puzzle.near_misses]
    choices.insert(right, puzzle.following)
    one = ShownAndChoices(drawn(puzzle.images), drawn(choices))
    unlike = min(int(np.abs(first - second).max()) for first, second in combinations(one.choices, 2))
    chosen = {name: rule(one) for name, rule in RULES.items()}
    return Compared(right, chosen, unlike, int(repeated(one.shown, one.choices).sum()))


@cache
def compared(key):
    puzzle = puzzle_of(key, 0)
    return judged(puzzle, "abcd".index(record_of(key, puzzle)["answer"]))


def hits_of(keys):
    """The number of right choices of each rule by scenario, over the items of these keys."""
    hits = {(key.partition("/")[0], name): 0 for key in keys for name in RULES}
    for key in keys:
        one = compared(key)
        for name, choice in one.chosen.items():
            hits[key.partition("/")[0], name] += choice == one.right
    return hits


def overall(hits):
    """The number of right choices of each rule over all items."""
    return {name: sum(count for (_, own), count in hits.items() if own == name) for name in RULES}


def above_chance(hits, n):
    """The rules that are right more often than chance, by exact tests with Holm's correction."""
    found = family([binomtest(count, n, 0.25, alternative="greater").pvalue for count in hits.values()])
    return {name for name, p in zip(hits, found, strict=True) if p < ALPHA}


@pytest.fixture(scope="module")
def keys():
    return keys_of(EACH)


def test_no_rule_without_the_pattern_is_above_chance_overall_or_inside_a_scenario(keys):
    assert len(RULES) >= 10
    assert len(keys) >= 400
    hits = hits_of(keys)
    assert len(hits) == len(RULES) * len(SCENARIOS)
    assert not above_chance(overall(hits), len(keys))
    assert not above_chance(hits, EACH)


def test_no_rule_is_above_chance_in_more_items_of_snake_and_colour():
    assert not above_chance(hits_of(keys_of(MORE, ["snake", "colour"])), MORE)


def test_the_rules_find_what_tells_choices_that_are_not_balanced():
    """Wrong pictures with one mistake each: the right one is the one most like the others."""
    found = [judged(*with_single_mistakes(scenario, place)) for scenario in SCENARIOS for place in range(16)]
    hits = {name: sum(one.chosen[name] == one.right for one in found) for name in RULES}
    assert {"most like the others", "new, most like the others"} <= above_chance(hits, len(found))


def with_single_mistakes(scenario, place):
    """A puzzle with three of its scenario's near misses, and the place of the right picture."""
    rng, one = next(scenarios._draws(scenario, 0, place, set()))
    single = {miss.picture: miss for miss in one.near_misses if "; and " not in miss.what}
    single.pop(one.following, None)
    wrong = rng.choice(len(single), 3, replace=False)
    return replace(one, near_misses=tuple(list(single.values())[number] for number in wrong)), int(rng.integers(4))


def test_puzzles_are_the_same_for_the_same_seed():
    made = [puzzle(scenario, 0, place) for scenario in SCENARIOS for place in range(3)]
    assert hashlib.sha256(repr(made).encode()).hexdigest().startswith("ae71b204e12f53ed")


def test_places_are_shared_among_equals_and_outer_where_few_are_left():
    values = np.array([[1.0, 2, 3, 4], [2, 2, 3, 4], [9, 1, 2, 3], [5, 5, 5, 5]])
    every = places_of(values, np.ones((4, 4), bool))
    assert every.tolist() == [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 1], [0.25] * 4]
    two = np.array([[True, True, False, False], [False, False, True, True]])
    assert places_of(values[[0, 0]], two).tolist() == [[1, 0, 0, 0], [0, 0, 0, 0]]


def test_wrong_pictures_look_unlike_the_right_one_and_each_other(keys):
    for key in keys:
        assert compared(key).unlike > 30, key


def test_a_piece_stays_whole_with_two_mistakes(keys):
    for key in keys_of(EACH, ["tetris"]):
        one = puzzle_of(key, 0)
        for picture in (one.following, *(miss.picture for miss in one.near_misses)):
            left = {(round(mark.x * 12 / 92), round(mark.y * 12 / 92)) for mark in picture[1:] if mark.colour != "grey"}
            assert len(left) == 4
            found = [left.pop()]
            for x, y in found:
                beside = left & {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}
                left -= beside
                found += beside
            assert not left, (key, picture)


def test_two_of_the_choices_repeat_shown_pictures_or_none_does(keys):
    assert {compared(key).repeats for key in keys} == {0, 2}


def test_pictures_that_take_turns_are_shown_for_two_pictures_beyond_their_first_round():
    made = [puzzle_of(key, 0) for key in keys_of(EACH, ["colour", "size"])]
    turns = [one for one in made if one.following in one.images]
    assert turns
    assert all(one.images[2:] != one.images[:-2] or len(one.images) >= 2 + BEYOND for one in turns)
    drawn_first = (SCENARIOS["colour"](np.random.default_rng(place)) for place in range(EACH))
    assert not all(map(shows_its_turns, drawn_first))


def test_hand_made_pictures_that_take_turns_show_more_than_one_round():
    look = compositions()["look-15"]
    assert [picture[0].colour for picture in (*look.images, look.following)] == ["red", "red", "blue"] * 2
