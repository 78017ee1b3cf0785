"""The heat map: tinted if an interval excludes chance, people untinted on top, one cell opened by the server."""

import re

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.assemble import BoardCell, BoardRow
from leaderboard.board.heat_map import columns_by_concept, is_heat, look_of, steps_from_chance, whole_percent
from leaderboard.board.query import view_of
from leaderboard.board.rows import board_of
from leaderboard.models import Standing
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import CELL, make_people
from tests.markup import compact

pytestmark = pytest.mark.django_db
GRASP = BENCHMARKS["grasp"]
LEVEL_2 = "/leaderboard/grasp/?level=2"
TESTS = [value.value for value in GRASP.facet("test").values if value.level == "2"]
MODEL = BoardRow("run-1", "Model", "run", {}, None)


def cell(score, low, high):
    return BoardCell(score=score, n=40, low=low, high=high)


def look(row, shown, people=None):
    return look_of(row, shown, steps_from_chance(row, shown, 0.5), people)


@pytest.mark.parametrize(
    ("shown", "classes"),
    [
        (cell(0.55, 0.4, 0.7), "nil"),
        (cell(0.59, 0.51, 0.66), "a1"),
        (cell(0.6, 0.52, 0.68), "a2"),
        (cell(0.79, 0.6, 0.9), "a3"),
        (cell(0.8, 0.7, 0.9), "a4"),
        (cell(0.97, 0.9, 1.0), "a4"),
        (cell(0.4, 0.3, 0.48), "b2"),
        (cell(0.1, 0.02, 0.2), "b4"),
    ],
)
def test_steps_are_fixed_and_only_where_the_interval_leaves_chance(shown, classes):
    assert look(MODEL, shown) == classes


def test_a_cell_whose_interval_reaches_peoples_says_so():
    people = cell(0.9, 0.75, 0.97)
    assert look(MODEL, cell(0.7, 0.6, 0.8), people) == "a3 as-people"
    assert look(MODEL, cell(0.7, 0.6, 0.74), people) == "a3"
    assert look(MODEL, cell(0.5, 0.2, 0.8), people) == "nil"  # no tint for figures that may be chance


@pytest.mark.parametrize("kind", ["human", "simulated"])
def test_the_measure_is_untinted(kind):
    assert look(BoardRow("x", "People", kind, {}, None), cell(0.9, 0.8, 0.95)) == "measure"


@pytest.mark.parametrize(("share", "text"), [(0.825, "83"), (0.575, "58"), (0.824, "82"), (0.0, "0"), (1.0, "100")])
def test_whole_per_cent_is_half_up(share, text):
    assert whole_percent(share) == text


@pytest.fixture
def heat(physics):
    """A model and people with a figure on each of the sixteen tests."""
    people = make_people(physics, level="2", strategy="plausibility")
    people.cells["test"] = {name: CELL | {"score": 0.9, "low": 0.8, "high": 0.96} for name in TESTS}
    people.save()
    run = make_run(physics, model=make_model(name="Seer", slug="seer"), strategy="plausibility")
    cells = {name: CELL | {"score": 0.3, "low": 0.2, "high": 0.4, "chance": 0.5} for name in TESTS}
    cells["Gravity"] = CELL | {"score": 0.725, "low": 0.6, "high": 0.85, "chance": 0.5}
    place = {"split": "all", "strategy": "plausibility", "condition": "video", "source_version": 0, "overall": CELL}
    stored = {"level": {"2": CELL}, "test": cells}
    return Standing.objects.create(pack=physics, run=run, kind="run", name="Seer", identity="1", cells=stored, **place)


def test_sixteen_tests_open_as_a_heat_map_in_the_order_of_concepts(visitor, heat):
    page = compact(visitor.get(LEVEL_2).content.decode())
    shown = board_of(view_of(GRASP, {"level": "2"}))
    assert is_heat(shown)
    columns, groups = columns_by_concept(shown)
    assert [group.concept.slug for group in groups][:3] == ["continuity", "solidity", "inertia"]
    assert sum(group.span for group in groups) == len(columns) == 16
    assert 'role="table"' in page
    assert page.count('role="columnheader"') == len(groups) + 18  # name, overall and sixteen tests
    assert re.search(rf'class="h a3 as-people[^"]*" role="cell"><a [^>]*run-{heat.run_id}~Gravity#cell', page)
    assert page.index("People") < page.index("Chance</span>") < page.index(">Seer<")
    assert 'class="cellcard' not in page


def test_one_cell_opens_by_its_address(visitor, heat):
    page = compact(visitor.get(f"{LEVEL_2}&cell=run-{heat.run_id}~Gravity").content.decode())
    [card] = re.findall(r'<section class="cellcard.*?</section>', page)
    assert "72.5 % (60–85)" in card
    assert "90.0 % (80–96)" in card  # people, beside it
    assert f"items/?row=run-{heat.run_id}&amp;split=all&amp;test=Gravity" in card
    assert 'class="h a3 as-people first open"' in page
    assert "cell=" not in re.search(r'<a href="([^"]*)#board">Close', card)[1]


@pytest.mark.parametrize("wrong", ["run-999~Gravity", "nonsense", "run-1~Nothing", "~"])
def test_a_cell_that_is_not_there_is_told(visitor, heat, wrong):
    answer = visitor.get(f"{LEVEL_2}&cell={wrong}")
    assert answer.status_code == 404
    assert "no row of this view has such a cell" in answer.content.decode()


def test_forest_plots_on_demand_and_by_themselves_where_they_fit(visitor, heat):
    assert 'class="heat"' not in visitor.get(f"{LEVEL_2}&cells=forest").content.decode()
    assert 'class="heat"' not in visitor.get(f"{LEVEL_2}&columns=yes").content.decode()
    assert not is_heat(board_of(view_of(GRASP, {"level": "2", "caution": "out", "columns": "halves"})))


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("weights=open", ["Open"]),
        ("size=small", ["Open"]),
        ("size=medium", ["Big"]),
        ("search=big", ["Big"]),
        ("since=2999-01-01", []),
        ("since=2000-01-01", ["Big", "Open"]),
    ],
)
def test_filters_of_rows(physics, query, kept):
    for name, card in (("Open", {"parameters": "500M", "weights": "open"}), ("Big", {"parameters": "0.5 B of 7 B"})):
        run = make_run(physics, model=make_model(name=name, slug=name.lower(), card=card), strategy="plausibility")
        place = {"split": "all", "strategy": "plausibility", "condition": "video", "source_version": 0}
        cells = {"level": {"2": CELL}}
        Standing.objects.create(
            pack=physics, run=run, kind="run", name=name, identity=name, overall=CELL, cells=cells, **place
        )
    make_people(physics, level="2", strategy="plausibility")
    name, _, value = query.partition("=")
    board = board_of(view_of(GRASP, {"level": "2", name: value}))
    assert sorted(row.name for row in board.ranked) == kept
    assert len(board.pinned) == len(board.people_of_papers) == 1  # the reference passes every filter


def test_counts_dimmed_choices_and_a_bad_date(visitor, heat):
    page = compact(visitor.get(LEVEL_2).content.decode())
    assert re.search(r'title="No rows here yet">open<small>0</small>', page)
    assert ">people<small>1</small>" in page
    wrong = visitor.get(f"{LEVEL_2}&since=yesterday")
    assert (wrong.status_code, "write a date as 2026-01-31" in wrong.content.decode()) == (404, True)
    empty = visitor.get(f"{LEVEL_2}&search=nobody").content.decode()
    assert "Reset filters" in empty
