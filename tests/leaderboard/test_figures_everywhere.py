"""Each stored figure has one value wherever it is printed: on every page, in files and in the API."""

from dataclasses import replace
from importlib import import_module

import pytest

from humantrials.models import SheetState
from leaderboard.standings.refresh import refresh
from measures.figures import Interval
from tests.factories import make_model
from tests.leaderboard.conftest import answered
from tests.leaderboard.printed_figures import API, figures_of, unequal

pytestmark = pytest.mark.django_db
WIDE = Interval(0.02, 0.97)
CELL = "12.3 % (2–97)"
OWN = {  # kind of a place -> what it prints figures by, changed as if they computed their own
    "leaderboard": ("leaderboard.board.cell_display", "score_text", lambda _: lambda cell: "12.3"),
    "runs": ("evaluation.runs.pages.views", "outcome_of", lambda own: lambda *a, **b: wider(own(*a, **b))),
    "trials": ("humantrials.results.judgments", "figure_of", lambda own: lambda *a, **b: wide(own(*a, **b))),
    "models": ("leaderboard.board.cell_display", "figure", lambda _: lambda cell: CELL),
    "concepts": ("leaderboard.board.overviews.concept_board", "concept_rows", lambda own: lambda *a: shifted(own(*a))),
    "": ("leaderboard.board.overviews.level_results", "score_text", lambda _: lambda cell: "12.3"),
    "md": ("leaderboard.exports.table", "score_text", lambda _: lambda cell: "12.3"),
    "csv": ("leaderboard.exports.table", "in_per_cent", lambda own: lambda share: share and own(share) + 1),
    "compare": ("leaderboard.pages.comparison", "in_per_cent", lambda own: lambda share: own(share) + 1),
}


def kind_of(where):
    """The kind of file, or of page by its address."""
    return where.rpartition(" ")[2] if " " in where or "/" not in where else where.split("/")[1]


def wide(figure):
    return replace(figure, interval=WIDE)


def wider(outcome):
    return replace(outcome, tests={test: wide(metric) for test, metric in outcome.tests.items()})


def shifted(rows):
    """Rows of a board whose cells print another score."""
    return [replace(row, cells=tuple(replace(cell, text="1.2") for cell in row.cells)) for row in rows]


@pytest.fixture
def everywhere(board, study, physics, visitor):
    """Two runs and a study of three people, with a run beside it on the same clips; and a crawl of all pages."""
    answered(physics, "yes", model=make_model())
    study.sheets.update(state=SheetState.DONE)
    refresh()

    def fetch(path):
        page = visitor.get(path)
        assert page.status_code < 500, path
        return page.content.decode() if page.status_code == 200 else ""

    return lambda: figures_of(fetch)


def test_each_figure_has_one_value(everywhere):
    places = everywhere()
    assert unequal(places) == []
    kinds = {kind_of(where) for values in places.values() for where, *_ in values}
    assert kinds == {API, "json", "latex", "p", "interval", *OWN}
    for row in ("run", "trial"):
        assert {name for key, name in places if key.startswith(row)} >= {"score", "low", "high"}


def test_places_that_compute_their_own_are_seen(everywhere, monkeypatch):
    for module, name, made in OWN.values():
        monkeypatch.setattr(f"{module}.{name}", made(getattr(import_module(module), name)))
    apart = set()
    for values in everywhere().values():
        stored = next((value for where, value, _ in values if where == API), None)
        apart |= {kind_of(where) for where, value, step in values if stored and abs(value - stored) > step + 1e-6}
    assert apart == {*OWN}
