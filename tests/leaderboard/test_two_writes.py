"""Standings: a refresh that is interrupted leaves nothing half done, and two at once don't cross."""

import pytest
from django.db import transaction

from leaderboard.models import Comparison, RankTest, Standing
from leaderboard.standings import paired_differences, rank_tests
from leaderboard.standings.rank_tests import RankedBoard
from leaderboard.standings.refresh import refresh, rows_of_run, store
from tests.factories import make_answer, make_item, make_pack, make_run
from tests.two_writes import assert_all_or_nothing

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(transactional_db):
    """A run of two answers, one of them right."""
    pack = make_pack()
    run = make_run(pack)
    for expected in ("yes", "no"):
        make_answer(run, make_item(pack, expected=expected), "yes")
    return run


@pytest.fixture
def ranking(run) -> tuple[RankedBoard, list[RankTest]]:
    refresh()
    [board] = rank_tests.sources()
    return board, list(RankTest.objects.all())


def store_again(ranking: tuple[RankedBoard, list[RankTest]], source: str) -> None:
    board, tests = ranking
    for test in tests:
        test.pk = None
        test._state.adding = True
    rank_tests.store(board, source, tests)


def test_a_fault_leaves_the_former_rows(run):
    store(rows_of_run(run), source=run, version=1)
    run.split = "paper"
    assert_all_or_nothing(lambda: store(rows_of_run(run), source=run, version=2))


def test_a_fault_leaves_the_former_ranks(ranking):
    assert_all_or_nothing(lambda: store_again(ranking, "another"))


def test_a_fault_leaves_the_row_of_a_model_without_its_difference(ranking):
    first = Standing.objects.get()
    values = {"n": 0, "difference": 0.0, "low": None, "high": None, "p": None, "test": ""}
    assert_all_or_nothing(lambda: paired_differences._write(first, first, values))
    assert Comparison.objects.count() == 1


def test_an_older_computation_never_replaces_a_newer_one_stored_at_the_same_time(run, second_connection):
    rows = rows_of_run(run)
    store(rows, source=run, version=1)
    with transaction.atomic():
        store(rows, source=run, version=3)
        second = second_connection.begin(lambda: store(rows, source=run, version=2))
    assert (second.result(), Standing.objects.get().source_version) == (set(), 3)


def test_two_refreshes_at_once_store_the_ranks_of_one(ranking, second_connection):
    with transaction.atomic():
        store_again(ranking, "one")
        second = second_connection.begin(lambda: store_again(ranking, "two"))
    second.result()
    assert set(RankTest.objects.values_list("source", flat=True)) == {"two"}
