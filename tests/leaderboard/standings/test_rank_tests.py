"""Ranks of boards: the test of all pairs at a refresh, and its display on boards, in the API, exports and links."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.definitions.registry import find_benchmark
from evaluation.models import Listing, ModelRole, Run
from leaderboard.board.query import packs_of, view_of
from leaderboard.board.rows import rank_test
from leaderboard.models import RankTest, Standing
from leaderboard.standings.refresh import refresh
from measures.figures import Interval
from tests.factories import answer_to, make_answer, make_clip, make_item, make_model, make_pack, make_run
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/grasp/"
WRONG = {"yes": "no", "no": "yes"}


def ranks(visitor, query=""):
    rows = visitor.get(f"{BOARD}?rows=run&format=json&{query}").json()["rows"]
    return {row["name"]: row["rank"] for row in rows}


def stands(visitor):
    """Whether the board's leader, the model Good, surely has the first rank."""
    leader = visitor.get(f"{BOARD}?format=json").json()["leaders"]["here"]
    assert leader["words"] == "best model evaluated here"
    return leader["stands"]


@pytest.fixture
def many(db):
    """Forty clips of one question each; the first ten are under the authors' caution."""
    pack = make_pack(name="forty")
    for number in range(40):
        facets = {"test": ("Shape",)} | ({"caution": ("yes",)} if number < 10 else {})
        make_item(pack, clip=make_clip(pack, key=f"c{number:02}"), key=f"c{number:02}", expected="yes", facets=facets)
    for name, right in (("Good", range(40)), ("Lucky", range(33)), ("Fair", range(10, 33)), ("Poor", range(10, 14))):
        run = make_run(pack, model=make_model(name=name, slug=name.lower(), role=ModelRole.MODEL))
        for item in pack.items.all():
            is_right = int(item.key[1:]) in right
            make_answer(run, item, answer_to(item) if is_right else WRONG[answer_to(item)])
    refresh()
    return pack


def test_ranks_are_simultaneous_and_before_their_test_by_intervals(visitor, many):
    assert set(RankTest.objects.values_list("caution", flat=True)) == {"in", "out"}
    assert ranks(visitor, "caution=out") == {"Good": [1, 1], "Lucky": [2, 3], "Fair": [2, 3], "Poor": [4, 4]}
    assert ranks(visitor) == {"Good": [1, 1], "Lucky": [2, 2], "Fair": [3, 3], "Poor": [4, 4]}
    assert stands(visitor)
    RankTest.objects.all().delete()
    assert ranks(visitor) == {"Good": [1, 2], "Lucky": [1, 3], "Fair": [2, 3], "Poor": [4, 4]}
    assert not stands(visitor)


def test_a_board_by_groups_has_no_test_of_its_questions(many):
    view = view_of(find_benchmark("grasp"), {}, packs_of(["grasp"])["grasp"])
    assert rank_test(view, ()) is not None
    assert rank_test(replace(view, unit="group"), ()) is None


def test_a_level_without_caution_has_one_test_for_both(board, pack, visitor):
    assert [test.caution for test in RankTest.objects.all()] == ["in"]
    assert ranks(visitor, "caution=out") == ranks(visitor) == {"Right": [1, 1], "Yes": [2, 2]}


@pytest.mark.parametrize(
    ("is_tested", "named", "told", "note"),
    [
        (True, "simultaneous", "All pairs of rows are tested together", "Ranks: simultaneous 95 % sets, all pairs"),
        (False, "pairwise", "Rows whose intervals overlap", "Ranks: pairwise, by whether 95 %"),
    ],
)
def test_page_api_and_files_name_the_rule(visitor, board, is_tested, named, told, note):
    if not is_tested:
        RankTest.objects.all().delete()
    assert told in visitor.get(BOARD).content.decode()
    assert visitor.get("/api/v1/boards/grasp/").json()["ranks"] == named
    for form in ("md", "latex"):
        text = visitor.get(f"{BOARD}?format={form}").content.decode().replace("\\%", "%")
        assert note in text, form


def test_a_board_without_a_test_shows_pairwise_ranks_until_the_next_refresh(visitor, board):
    RankTest.objects.all().delete()
    assert visitor.get("/api/v1/boards/grasp/").json()["ranks"] == "pairwise"
    assert ranks(visitor) == {"Right": [1, 2], "Yes": [1, 2]}
    refresh()
    assert ranks(visitor) == {"Right": [1, 1], "Yes": [2, 2]}
    # a page that was cached before the test is made again
    RankTest.objects.all().delete()
    assert "Rows whose intervals overlap" in visitor.get(BOARD).content.decode()
    refresh()
    assert "All pairs of rows are tested together" in visitor.get(BOARD).content.decode()
    # an idle refresh tests nothing again
    before = list(RankTest.objects.values_list("pk", "source"))
    touched = list(Standing.objects.values_list("computed_at"))
    refresh()
    assert list(RankTest.objects.values_list("pk", "source")) == before != []
    assert list(Standing.objects.values_list("computed_at")) == touched


def test_a_row_that_comes_or_goes_is_tested_with_the_others(visitor, board, pack):
    nobody = answered(pack, lambda i: WRONG[answer_to(i)], model=make_model(name="Never", slug="never"))
    refresh()
    assert ranks(visitor) == {"Right": [1, 1], "Yes": [2, 2], "Never": [3, 3]}
    page = visitor.get(BOARD).content.decode()
    Run.objects.filter(pk=nobody.pk).update(listing=Listing.PRIVATE)
    refresh()
    assert ranks(visitor) == {"Right": [1, 1], "Yes": [2, 2]}
    assert visitor.get(BOARD).content.decode() != page
    Run.objects.all().update(listing=Listing.PRIVATE)
    refresh()
    assert RankTest.objects.count() == 0


def test_of_two_runs_of_one_identity_the_later_is_ranked(visitor, board, pack):
    first, _ = board
    again = answered(pack, answer_to, model=first.model)
    Standing.objects.filter(run=again).delete()
    refresh()
    Standing.objects.filter(run=again).update(identity=Standing.objects.get(run=first).identity)
    RankTest.objects.all().delete()
    refresh()
    assert RankTest.objects.get().runs == sorted([board[1].pk, again.pk], key=str)
    assert ranks(visitor) == {"Right": [1, 2], "Yes": [1, 2]}


def test_rows_outside_the_test_are_ranked_by_their_intervals():
    tested = RankTest(runs=[1, 2], packed=np.packbits([[0, 0], [1, 0]]).tobytes())
    known = {"run-2": Interval(0.4, 0.6), "run-9": Interval(0.55, 0.58), "run-1": Interval(0.45, 0.7)}
    assert tested.below(known).tolist() == [[False, False, True], [False, False, False], [False, False, False]]
    known["run-9"] = Interval(0.61, 0.63)
    assert tested.below(known).tolist() == [[False, True, True], [False, False, False], [False, False, False]]
