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
    assert "7.5 questions per video, the paper 5.8" in text
    for board in ("leaderboard/craft/", "leaderboard/craft/?format=md", "leaderboard/craft/?format=latex"):
        assert "do not compare with the paper" in visitor.get(f"/{board}").content.decode(), board
    assert "do not compare with the paper" in visitor.get("/benchmarks/craft/").content.decode()


def test_a_pack_of_craft_with_the_papers_shares_has_no_caveat():
    assert caveats_of(craft_pack(booleans=18, others=12)) == caveats_of(None) == ()
