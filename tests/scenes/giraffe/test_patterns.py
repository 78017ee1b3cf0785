"""Patterns of all ten scenarios: all different, with true words that suffice for the prediction."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from scenes.giraffe.drawing import KINDS, pixels_of, png_of
from scenes.giraffe.icons import COLOURS, ICONS, TURNABLE
from scenes.giraffe.notation import BadNotation, read_picture, written
from scenes.giraffe.puzzle import CHANGES, PictureElement
from scenes.giraffe.puzzles.hand import BadComposition, compositions, read_compositions
from scenes.giraffe.scenarios import SCENARIOS, puzzle
from tests.scenes.giraffe.solver import WORDS, Unsolved, facts_in, solve

EACH = 48  # those of `test_choices`
BAD_ENGLISH = re.compile(r"  | ,|\.\.|\ba (?:[aeio]|umbrella)|\ban (?![aeiou])|\b1 \w+s will|\{|None")


@pytest.fixture(scope="module")
def patterns():
    return {(name, place): puzzle(name, 0, place) for name in SCENARIOS for place in range(EACH)}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_comes_next_can_be_told_from_the_words_of_the_pattern(patterns, scenario):
    for place in range(EACH):
        one = patterns[scenario, place]
        assert solve(scenario, one.pattern) == facts_in(one.pred), one


@pytest.mark.parametrize(
    ("scenario", "right", "wrong"),
    [
        ("clock", "7:00, 7:10 and 7:20: from one image to the next it goes on by 10", "by 20"),
        ("number", "the numbers are 2, 4, 8 and 16: each is twice the one before.", "three times"),
    ],
)
def test_the_solver_refuses_a_text_whose_numbers_do_not_follow_its_rule(scenario, right, wrong):
    text = f"shows a 12-hour digital clock. it reads {right} minutes." if scenario == "clock" else right
    assert solve(scenario, text)
    with pytest.raises(Unsolved):
        solve(scenario, re.sub(r"by 10|twice", wrong, text))


def test_no_puzzle_is_there_twice(patterns):
    assert len({(one.images, one.following) for one in patterns.values()}) == len(SCENARIOS) * EACH
    assert len({(one.pattern, one.pred) for one in patterns.values()}) == len(SCENARIOS) * EACH


def test_each_says_how_many_images_it_has_and_its_near_misses_differ(patterns):
    for one in [*patterns.values(), *compositions().values()]:
        told = re.search(r"[Tt]hese (\w+) images", one.pattern)
        assert told, one
        assert WORDS[told[1]] == len(one.images) in (3, 4, 5), one
        assert len({one.following, *(miss.picture for miss in one.near_misses)}) == 4
        assert all(miss.what for miss in one.near_misses)


def test_near_misses_look_different_too(patterns):
    """Different marks can look the same, for example a rotated symmetric thing."""
    for one in [*list(patterns.values())[::7], *compositions().values()]:
        pictures = [one.following, *(miss.picture for miss in one.near_misses)]
        drawn = [pixels_of(picture, 64)[..., :3].astype(int) for picture in pictures]
        for place, first in enumerate(drawn):
            for second in drawn[place + 1 :]:
                assert np.abs(first - second).max() > 60, one


@pytest.mark.parametrize("name", TURNABLE)
def test_what_is_turned_has_no_symmetry(name):
    turns = (PictureElement(name, turn=angle) for angle in (0, 90, 120, 180, 270))
    upright, *turned = (pixels_of((mark,), 64)[..., :3].astype(int) for mark in turns)
    assert min(np.abs(one - upright).mean() for one in turned) > 1.5


def test_everything_lies_on_the_picture(patterns):
    for one in patterns.values():
        for picture in (*one.images, one.following):
            assert all(0 <= mark.x <= 100 and 0 <= mark.y <= 100 for mark in picture)


def test_so_many_things_are_drawn_as_the_text_says(patterns):
    for (scenario, _), one in patterns.items():
        if scenario == "quantity" and one.pattern.startswith("These") and "above" not in one.pattern:
            told = re.search(r"number is (.*?):", one.pattern)
            assert told
            assert [len(picture) for picture in one.images] == [int(count) for count in re.findall(r"\d+", told[1])]


def test_texts_read_well(patterns):
    for one in [*patterns.values(), *compositions().values()]:
        for text in (one.pattern, one.pred):
            assert text.endswith(".")
            assert not BAD_ENGLISH.search(text), text
        assert one.pred.startswith("In the next image, ")


def test_another_seed_gives_other_puzzles_and_one_picture_the_same_file():
    assert [puzzle(name, 0, 3) for name in SCENARIOS] != [puzzle(name, 1, 3) for name in SCENARIOS]
    first = puzzle("tetris", 0, 3)
    assert (png_of(pixels_of(first.following, 96))) == png_of(pixels_of(first.following, 96))


def test_every_icon_and_part_is_drawn():
    texts = {"clock": "12:45", "number": "-120", "grid": "3x4", "pizza": "2/6"}
    for kind in KINDS:
        pixels = pixels_of((PictureElement(kind, text=texts.get(kind, ""), colour="blue"),), 64)
        assert (pixels[..., :3] < 250).any(), kind
    assert set(ICONS) < set(KINDS)


def test_a_hundred_were_composed_by_hand_over_the_four_dimensions():
    puzzles = compositions()
    counts = Counter(change for one in puzzles.values() for change in one.changes)
    assert len(puzzles) == 100
    assert set(counts) == set(CHANGES)
    assert min(counts.values()) >= 20
    assert len({one.images for one in puzzles.values()}) == len({one.pattern for one in puzzles.values()}) == 100


def test_several_things_move_and_rotation_has_more_than_ten_variants():
    puzzles = compositions()
    assert sum("rotation" in one.changes for one in puzzles.values()) >= 10
    several = 0
    for one in (one for name, one in puzzles.items() if name.startswith("move")):
        places = [{(mark.kind, mark.colour, mark.x, mark.y) for mark in picture} for picture in one.images]
        several += len({mark[:2] for mark in set.union(*places) - set.intersection(*places)}) > 1
    assert several >= 8


def test_a_picture_can_be_written_down_and_read_again(patterns):
    for one in list(patterns.values())[::9]:
        assert read_picture(written(one.following)) == one.following


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "needs at least one mark"),
        ("dragon red", "there is no 'dragon'"),
        ("ball mauve", "'mauve' is no colour"),
        ("ball red @5", "no @x,y"),
        ("ball red @500,5", "between 0 and 100"),
        ("clock", "hours and minutes"),
        ("clock =7:99", "hours and minutes"),
        ("pizza =9/8", "more slices left"),
        ("ball =3", "takes no text"),
        ("number =", "up to six digits"),
        ("ball; " * 61, "at most 60"),
        ("ball *0", "sizes between 1"),
    ],
)
def test_a_mark_that_is_none_is_named(text, said):
    with pytest.raises(BadNotation, match=re.escape(said)):
        read_picture(text)


BLOCK = """\
one | rotation
P Each turns.
N In the next image, it turns.
= ball | ball /90 | ball /180
> ball /270
x ball /1 : wrong
x ball /2 : wrong
x ball /3 : wrong
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("| rotation", "| magic", "one: what changes must be among"),
        ("P Each", "Q Each", "begins with none of"),
        ("P Each turns.\n", "", "one: 0 times a pattern"),
        (" | ball /180", "", "one: 2 pictures, there must be 3"),
        ("x ball /3", "x ball /270", "unlike the next one"),
        ("> ball /270", "> bull /270", "there is no 'bull'"),
        ("x ball /3 : wrong\n", "", "there must be 3 wrong pictures"),
    ],
)
def test_what_is_wrong_with_a_composition_is_named(old, new, said):
    assert read_compositions(BLOCK)["one"].following == read_picture("ball /270")
    with pytest.raises(BadComposition, match=re.escape(said)):
        read_compositions(BLOCK.replace(old, new))


def test_two_compositions_of_one_name_are_refused():
    with pytest.raises(BadComposition, match="two of this name"):
        read_compositions(f"{BLOCK}\n{BLOCK}")


def test_colours_are_told_apart():
    values = np.array(list(COLOURS.values()), int)
    apart = np.abs(values[:, None] - values[None]).max(axis=2) + 1000 * np.eye(len(values), dtype=int)
    assert apart.min() > 40


def test_the_solver_knows_nothing_of_the_generator():
    assert "scenes" not in Path(solve.__code__.co_filename).read_text(encoding="utf-8")
