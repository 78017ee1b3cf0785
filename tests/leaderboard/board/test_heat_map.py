"""The heat map: tinted by the printed p, people untinted on top, each cell a link to its items."""

import re
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardCell, BoardColumn, BoardRow
from leaderboard.board.cell_display import display_rows
from leaderboard.board.overviews.heat_map import (
    FIT,
    HeatColumn,
    columns_by_concept,
    heat_rows,
    is_heat,
    look_of,
    steps_of,
    whole_percent,
)
from leaderboard.board.query import AvailablePacks, view_of
from leaderboard.board.rows import board_of
from leaderboard.models import Standing
from leaderboard.row_kinds import RowKind
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import CELL, make_people, make_row
from tests.markup import compact

pytestmark = pytest.mark.django_db
GRASP = BENCHMARKS["grasp"]
LEVEL_2 = "/leaderboard/grasp/?level=2"
TESTS = [value.value for value in GRASP.facet("test").values if value.level == "2"]
MODEL = BoardRow("run-1", "Model", RowKind.RUN, {}, None)


def cell(score, low, high):
    return BoardCell(score=score, n=40, low=low, high=high)


def look(row, shown, people=None, p=None):
    return look_of(row, shown, steps_of(row, shown, 0.5, p), people)


@pytest.mark.parametrize(
    ("shown", "p", "classes"),
    [
        # without a test, only where the interval leaves out chance
        (cell(0.55, 0.4, 0.7), None, "nil"),
        (cell(0.59, 0.51, 0.66), None, "a1"),
        (cell(0.6, 0.52, 0.68), None, "a2"),
        (cell(0.79, 0.6, 0.9), None, "a3"),
        (cell(0.8, 0.7, 0.9), None, "a4"),
        (cell(0.97, 0.9, 1.0), None, "a4"),
        (cell(0.4, 0.3, 0.48), None, "b2"),
        (cell(0.1, 0.02, 0.2), None, "b4"),
        (cell(1.0, 0.51, 1.0), 0.125, "nil"),  # four of four
        (cell(0.75, 0.6, 0.86), 0.05, "nil"),  # Holm's p, over many cells
        (cell(0.75, 0.6, 0.86), 0.049, "a3"),
        (cell(0.2, 0.1, 0.4), 0.001, "b4"),
        (BoardCell(score=1.0, n=8, low=0.68, high=1.0), 0.008, "a1"),  # few clips
        (BoardCell(score=0.0, n=90, low=0.0, high=0.3, facts={"clips": 9}), 0.004, "b1"),
        (BoardCell(score=0.0, n=90, low=0.0, high=0.3, facts={"clips": 10}), 0.004, "b4"),
    ],
)
def test_steps_are_fixed_the_printed_p_decides_and_few_clips_are_tentative(shown, p, classes):
    assert look(MODEL, shown, p=p) == classes


def random_board(rng, *, parameters):
    """Models with figures of few and of many clips, each with an interval of its own and p-values of every size."""
    columns = [BoardColumn(name, name, chance=0.5) for name in TESTS]

    def random_cell():
        n, score, half = int(rng.integers(4, 200)), float(rng.random()), float(rng.random() / 3)
        p = float(10 ** -rng.uniform(0, 5))
        return BoardCell(score=score, n=n, low=max(0.0, score - half), high=min(1.0, score + half), p=p)

    rows = [
        BoardRow(f"run-{number}", "Model", RowKind.RUN, {one.key: random_cell() for one in columns}, random_cell())
        for number in range(int(rng.integers(1, 9)))
    ]
    view = view_of(GRASP, {"level": "2"} | parameters, AvailablePacks())
    return Board(view, tuple(columns), (), tuple(rows), (), 0.5, shares_ranks=False)


def test_a_sensitivity_without_its_criterion_is_no_figure():
    board = random_board(np.random.default_rng(1), parameters={"columns": "sensitivity"})
    cells = {TESTS[0]: BoardCell(n=40, d_prime=1.0), TESTS[1]: BoardCell(n=40, d_prime=1.0, criterion=-0.25)}
    [row] = display_rows(board, [replace(board.ranked[0], cells=cells)])
    assert [(one.text, one.range, one.missing) for one in row.cells[1:3]] == [("", "", "–"), ("1.00", "c −0.25", "")]


def is_below(printed):
    """Whether the p of a cell's title is below 0.05; None if it is too near to tell."""
    p = 0.0 if "<" in printed else float(printed)
    return None if p == 0.05 else p < 0.05


@pytest.mark.parametrize("seed", range(6))
def test_no_cell_is_tinted_whose_printed_p_is_not_below_5_per_cent_and_every_other_is(seed):
    board = random_board(np.random.default_rng(seed), parameters={})
    drawn = display_rows(board, board.ranked)
    looks = [
        one.look.split()[0] for row in heat_rows(board, board.ranked, columns_by_concept(board)[0]) for one in row.cells
    ]
    by_order = [one.column.key for one in columns_by_concept(board)[0]]
    place = {"": 0} | {column.key: number for number, column in enumerate(board.columns, 1)}
    marks = [row.cells[place[key]] for row in drawn for key in by_order]
    assert {look[0] for look in looks} > {"n"}, "some are tinted, some not"
    for mark, classes in zip(marks, looks, strict=True):
        below = is_below(re.search(r"p (< 0\.001|[\d.]+) \(Holm\)", mark.title)[1])
        assert below is None or (bool(mark.tint), classes != "nil") == (below, below)
    guessing = random_board(np.random.default_rng(seed), parameters={"columns": "guessing"})
    for mark in (mark for row in display_rows(guessing, guessing.ranked) for mark in row.cells):
        assert is_below(mark.text) in (None, bool(mark.tint))


@pytest.mark.parametrize("kind", ["human", "simulated"])
def test_tints_of_people_papers_and_cells_that_reach_peoples(kind):
    people = cell(0.9, 0.75, 0.97)
    assert look(MODEL, cell(0.7, 0.6, 0.8), people) == "a3 as-people"
    assert look(MODEL, cell(0.7, 0.6, 0.74), people) == "a3"
    assert look(MODEL, cell(0.5, 0.2, 0.8), people) == "nil"  # no tint for figures that may be chance
    people, of_paper = (BoardRow("x", "X", RowKind(each), {}, None) for each in (kind, "published"))
    assert look(people, cell(0.9, 0.8, 0.95)) == "measure"
    assert look(of_paper, cell(0.9, 0.8, 0.95)) == "nil"
    assert steps_of(people, cell(0.9, 0.8, 0.95), 0.5, None) == 0


@pytest.mark.parametrize(
    ("share", "text"), [(0.825, "83"), (0.575, "58"), (0.824, "82"), (0.0, "0"), (1.0, "100"), (0.824999996, "83")]
)
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
    return make_row(run, {"level": {"2": CELL}, "test": cells})


def test_sixteen_tests_open_as_a_heat_map_in_the_order_of_concepts(visitor, heat):
    page = compact(visitor.get(LEVEL_2).content.decode())
    shown = board_of(view_of(GRASP, {"level": "2"}))
    assert is_heat(shown)
    columns, groups = columns_by_concept(shown)
    assert [group.concept.slug for group in groups][:3] == ["continuity", "solidity", "inertia"]
    assert sum(group.span for group in groups) == len(columns) == 16
    assert 'role="table"' in page
    assert page.count('role="columnheader"') == len(groups) + 18  # name, overall and sixteen tests
    items = re.escape(f"items/?row=run-{heat.run_id}&amp;split=all&amp;test=Gravity")
    [title] = re.findall(rf'class="h a3 as-people[^"]*" role="cell"><a href="{items}" title="([^"]*)"', page)
    assert title.startswith("Ball on a slope: 72.5 (60–85), above chance, n 40")
    assert page.index("People") < page.index("Chance</span>") < page.index(">Seer<")
    # kinds of rows are counted and a search without rows can be reset
    page = compact(visitor.get(LEVEL_2).content.decode())
    assert re.search(r'title="No rows here yet">uploaded<small>0</small>', page)
    assert ">people<small>1</small>" in page
    empty = visitor.get(f"{LEVEL_2}&search=nobody").content.decode()
    assert "Reset filters" in empty
    # forest plots where they fit and for other figures
    assert not is_heat(board_of(view_of(GRASP, {"level": "2", "columns": "halves"})))
    heat.cells["test"] = {name: heat.cells["test"][name] for name in TESTS[:FIT]}
    heat.save()
    Standing.objects.exclude(pk=heat.pk).delete()
    assert not is_heat(board_of(view_of(GRASP, {"level": "2", "rows": "run"})))
    assert 'class="heat"' not in visitor.get(f"{LEVEL_2}&columns=yes").content.decode()
    assert not is_heat(board_of(view_of(GRASP, {"level": "2", "caution": "out", "columns": "halves"})))


def test_columns_of_a_concept_lie_together_with_the_further_concepts_of_each():
    board = random_board(np.random.default_rng(1), parameters={})
    columns, groups = columns_by_concept(board)
    concepts = {value.value: value.concepts for value in GRASP.facet("test").values}
    assert [one.also for one in columns] == [concepts[one.column.key][1:] for one in columns]
    firsts = [number for number, one in enumerate(columns) if one.is_first]
    assert firsts == [sum(group.span for group in groups[:number]) for number in range(len(groups))]
    assert [is_heat(replace(board, columns=board.columns[:count])) for count in (6, 7)] == [False, True]
    bare = replace(board, columns=(*board.columns, BoardColumn("Untold", "Untold")))
    assert columns_by_concept(bare) == ([HeatColumn(column, (), is_first=False) for column in bare.columns], [])


def lone_row(kind, figure, overall=None, **facts):
    """The heat map's row with this figure of its only test; a figure without a key is no row's."""
    board = random_board(np.random.default_rng(1), parameters={})
    cells = {TESTS[0]: figure} if figure else {}
    row = BoardRow("x", "X", RowKind(kind), cells, overall)
    column = replace(board.columns[0], title="First")
    board = replace(board, columns=(column, *board.columns[1:]), ranked=(row,), **facts)
    [found] = heat_rows(
        board, (row,), [HeatColumn(column), HeatColumn(board.columns[1], is_first=True)][: 1 + bool(figure)]
    )
    return found


def test_a_row_without_figures_by_test_says_why():
    assert [lone_row(kind, None).says for kind in ("run", "published")] == ["–", "not reported"]
    assert lone_row("run", None, hidden="until the study ends").says == "until the study ends"
    assert lone_row("published", None, hidden="until the study ends").says == "not reported"


@pytest.mark.parametrize(
    ("kind", "overall", "brief"),
    [
        ("run", None, "–"),
        ("run", BoardCell(score=0.825), "83"),
        ("run", BoardCell(score=0.8, facts={"step": 0.1}), "75–85"),
        ("published", BoardCell(published_text="about 80"), "~80"),
        ("published", BoardCell(published_text="low"), "low"),
        ("published", BoardCell(score=0.615, published_text="61.5"), "62"),
    ],
)
def test_the_overall_figure_in_brief_is_in_whole_per_cent(kind, overall, brief):
    found = lone_row(kind, cell(0.5, 0.4, 0.6), overall)
    assert found.brief == brief
    assert len(found.display.cells) == 1  # no forest plot is drawn beside a heat map


@pytest.mark.parametrize(
    ("kind", "figure", "shown"),
    [
        ("run", cell(0.59, 0.51, 0.66), ("59", "a1", "First: 59.0 (51–66), above chance, n 40")),
        ("run", cell(0.41, 0.34, 0.49), ("41", "b1", "First: 41.0 (34–49), below chance, n 40")),
        ("run", cell(0.5, 0.4, 0.6), ("50", "nil", "First: 50.0 (40–60), n 40")),
        ("published", BoardCell(score=0.615, published_text="61.5", note="Seen."), ("62", "nil", "First: 61.5. Seen.")),
        ("published", BoardCell(published_text="low", note="Words."), ("low", "none", "Words.")),
        ("published", BoardCell(note="Nothing."), ("–", "none", "Nothing.")),
    ],
)
def test_a_cell_says_its_figure_side_and_source(kind, figure, shown):
    own, other = lone_row(kind, figure).cells
    assert (own.text, own.look, own.title) == shown
    assert bool(own.href) is (kind == "run")
    assert (other.text, other.look) == ("–" if kind == "run" else "not reported", "none first")


@pytest.mark.parametrize(("search", "kept"), [("big", ["Big"]), ("500m", ["Small"]), ("nobody", [])])
def test_a_search_leaves_the_models_of_this_name_or_size_and_all_people(physics, search, kept):
    for name, parameters in (("Small", "500M"), ("Big", "7B")):
        model = make_model(name=name, slug=name.lower(), card={"parameters": parameters})
        make_row(make_run(physics, model=model, strategy="plausibility"), {"level": {"2": CELL}})
    make_people(physics, level="2", strategy="plausibility")
    board = board_of(view_of(GRASP, {"level": "2", "search": search}))
    assert sorted(row.name for row in board.ranked) == kept
    assert len(board.pinned) == len(board.people_of_papers) == 1  # the reference passes every filter
