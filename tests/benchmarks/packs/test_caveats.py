"""A pack with a caveat about its scores shows it on its board, on its benchmark's page and in exports."""

import pytest
from django.core.cache import cache

from benchmarks.packs.caveats import caveats_of
from leaderboard.board.cache import forget_versions
from tests.factories import make_clip, make_item, make_pack

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_kept():
    cache.clear()
    forget_versions()


TELLS = "The four choices of this pack tell more than they should"


def giraffe_pack(**values):
    pack = make_pack(**{"benchmark": "giraffe", "profile": "", "definition_version": "1.4", **values})
    make_item(pack, kind="choice", options=["a", "b", "c", "d"], expected="a", facets={"level": ("4",)})
    return pack


@pytest.mark.parametrize(
    ("values", "is_told"),
    [
        ({"definition_version": "1.1"}, True),
        ({"definition_version": "1.1", "origin": "official"}, False),  # prepared: no choices
        ({"profile": "choices-1"}, True),
        ({}, False),
    ],
)
def test_old_choices_of_giraffe_carry_their_baseline(visitor, values, is_told):
    pack = giraffe_pack(**values)
    assert any(TELLS in text for text in caveats_of(pack)) == is_told
    for address in ("/leaderboard/giraffe/?level=4&format=md", "/benchmarks/giraffe/"):
        assert (TELLS in visitor.get(address).content.decode()) == is_told, address


@pytest.mark.parametrize(
    ("values", "is_told"),
    [
        ({"definition_version": "1.2"}, True),
        ({"profile": "choices-2"}, True),
        ({"profile": "choices-1"}, False),
        ({"origin": "official"}, False),
    ],
)
def test_choices_that_still_tell_inside_a_scenario_say_so(visitor, values, is_told):
    giraffe_pack(**values)
    page = visitor.get("/leaderboard/giraffe/?level=4&format=md").content.decode()
    assert ("Inside one scenario" in page) == is_told


@pytest.mark.parametrize(
    ("values", "is_told"),
    [
        ({"definition_version": "1.3"}, True),
        ({"profile": "choices-3"}, True),
        ({"definition_version": "1.3", "origin": "official"}, False),
        ({}, False),
    ],
)
def test_choices_that_tell_inside_four_scenarios_say_so(values, is_told):
    assert any("34 % of `clock`" in text for text in caveats_of(giraffe_pack(**values))) == is_told


def test_a_caveat_about_one_part_is_not_shown_on_the_board_of_another(visitor):
    pack = giraffe_pack(profile="choices-1")
    assert caveats_of(pack, level="1") == caveats_of(None) == ()
    assert TELLS not in visitor.get("/leaderboard/giraffe/?level=1&format=md").content.decode()


def craft_pack(booleans, others):
    pack = make_pack(benchmark="craft")
    clips = [make_clip(pack) for _ in range(4)]
    kinds = ["Boolean"] * booleans + ["Count"] * others
    for number, kind in enumerate(kinds):
        facets = {"level": ("1",), "answer": (kind,)}
        make_item(clip=clips[number % 4], key=f"000001/{number}", kind="question", variant="", facets=facets)
    return pack


def test_a_small_pack_of_craft_says_both_shares_and_questions_a_video(visitor):
    pack = craft_pack(booleans=9, others=21)
    (text,) = caveats_of(pack)
    assert "30 % of its 30 questions are true or false, in the paper about 61 %" in text
    assert "7.5 questions a video, the paper 5.8" in text
    for address in (
        "/leaderboard/craft/",
        "/leaderboard/craft/?format=md",
        "/leaderboard/craft/?format=latex",
        "/benchmarks/craft/",
    ):
        assert "do not compare with the paper" in visitor.get(address).content.decode(), address


def test_a_caveat_is_told_in_the_readers_language_and_in_files_in_english(visitor):
    craft_pack(booleans=9, others=21)
    giraffe_pack(profile="choices-1")
    german = {"accept-language": "de"}
    for address in ("/leaderboard/craft/", "/benchmarks/craft/"):
        page = visitor.get(address, headers=german).content.decode()
        assert (
            "30 % seiner 30 Fragen haben die Antwort wahr oder falsch, im Artikel etwa 61 %; es hat 7.5 Fragen" in page
        )
    assert "hat bei 47 % der erzeugten" in visitor.get("/benchmarks/giraffe/", headers=german).content.decode()
    assert "تصيب في 47 % من" in visitor.get("/benchmarks/giraffe/", headers={"accept-language": "ar"}).content.decode()
    assert "do not compare with" in visitor.get("/leaderboard/craft/?format=md", headers=german).content.decode()


def test_a_pack_of_craft_with_the_papers_shares_has_no_caveat():
    assert caveats_of(craft_pack(booleans=18, others=12)) == ()
