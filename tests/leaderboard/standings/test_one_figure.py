"""A run's page, its files and its row on the board print one figure: score, n, interval and p."""

import pytest

from evaluation.models import Run, RunState
from evaluation.runs.exchange import scored
from evaluation.runs.results import Metric, computed
from leaderboard.standings.refresh import rows_of_run
from tests.factories import answer_to, make_answer, make_clip, make_item, make_run
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db
KINDS = {
    "one question a clip": lambda pack: [make_item(clip=make_clip(pack)) for _ in range(12)],
    "four questions a clip": lambda pack: [
        make_item(clip=clip, expected=expected)
        for clip in (make_clip(pack) for _ in range(5))
        for expected in ("yes", "no") * 2
    ],
    "four right answers": lambda pack: [make_item(pack) for _ in range(4)],
}


def figures(metric: Metric) -> tuple:
    assert metric.interval is not None
    return metric.accuracy, metric.n, metric.interval.low, metric.interval.high, metric.p


def stored(cell: dict) -> tuple:
    return tuple(cell[name] for name in ("score", "n", "low", "high", "p"))


def assert_one_figure(run: Run) -> None:
    (row,) = rows_of_run(run)
    outcome = computed(run)
    assert figures(outcome.overall) == stored(row.overall)
    assert {test: figures(metric) for test, metric in outcome.tests.items()} == {
        test: stored(cell) for test, cell in row.cells["test"].items()
    }
    exported = scored(run)
    assert (exported.score, exported.n, exported.interval.low) == figures(outcome.overall)[:3]


@pytest.mark.parametrize("kind", KINDS)
def test_the_run_and_its_row_have_one_figure(pack, kind):
    run = make_run(pack)
    for number, item in enumerate(KINDS[kind](pack)):
        make_answer(run, item, answer_to(item) if number % 3 or kind.startswith("four right") else None)
    assert_one_figure(run)


def test_so_have_the_runs_of_a_board(board):
    for run in board:
        assert_one_figure(run)


def test_a_run_that_goes_on_has_no_test_yet(pack):
    run = answered(pack, "yes", state=RunState.RUNNING)
    assert computed(run).overall.p is None
