"""The board's table: tinted by the printed p, people untinted on top, each cell a link to its items."""

import re
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.templatetags.figures import figure_key
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import OF_ALL, BoardCell, BoardColumn, BoardRow
from leaderboard.board.cell_display import (
    CellDisplay,
    CellPlace,
    display_rows,
    facts_of,
    figure,
    points,
    tint,
    whole_percent,
)
from leaderboard.board.overviews.heat_map import HeatColumn, columns_by_concept
from leaderboard.board.query import AvailablePacks, view_of
from leaderboard.board.rows import board_of, key_of, link_to_items, published_interval, row_of
from leaderboard.row_kinds import RowKind
from leaderboard.standings.paired_differences import Distance
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import CELL, make_people, make_row
from tests.markup import compact

pytestmark = pytest.mark.django_db
GRASP = BENCHMARKS["grasp"]
LEVEL_2 = "/leaderboard/grasp/?level=2"
TESTS = [value.value for value in GRASP.facet("test").values if value.level == "2"]


def cell(score, low, high):
    return BoardCell(score=score, n=40, low=low, high=high)


@pytest.mark.parametrize(
    ("figure", "p", "look"),
    [
        (cell(0.97, 0.9, 1.0), None, ""),  # never by the interval alone
        (cell(0.97, 0.9, 1.0), 0.05, ""),  # Holm's p, over many cells
        (cell(0.97, 0.9, 1.0), 0.049, "a1"),
        (cell(0.55, 0.51, 0.6), 0.0099, "a2"),  # by p, not by the distance from chance
        (cell(0.55, 0.51, 0.6), 0.00099, "a3"),
        (cell(0.2, 0.1, 0.4), 0.049, "b1"),
        (cell(0.2, 0.1, 0.4), 0.0001, "b3"),
    ],
)
def test_the_printed_p_decides_the_tint(figure, p, look):
    place = CellPlace(BoardColumn("Gravity", "Gravity", chance=0.5), "", p)
    assert tint(figure, place) == look
    assert CellDisplay(look=look).sign == {"a": "▲", "b": "▼", "": ""}[look[:1]]
    assert tint(figure, replace(place, column=BoardColumn("Cause", "Cause"))) == "", "no chance, no tint"


@pytest.mark.parametrize(("n", "facts"), [(9, {}), (90, {"clips": 9}), (4, {})])
def test_few_clips_are_grey_say_their_number_and_are_never_tinted(n, facts):
    few = BoardCell(score=1.0, n=n, low=0.7, high=1.0, p=0.00001, facts=facts)
    [found] = display_rows(board_with("run", few), board_with("run", few).ranked)
    assert (found.cells[1].look, found.cells[1].range, found.cells[1].sign) == (
        "few",
        f"n = {facts.get('clips', n)}",
        "",
    )
    people = board_with("human", few, is_pinned=True)
    assert display_rows(people, people.pinned)[0].cells[1].look == "few real"


def board_with(kind, figure, overall=None, *, is_pinned=False, **facts):
    """A board whose only row has this figure of its first test."""
    board = random_board(np.random.default_rng(1), parameters={})
    row = BoardRow("x", "X", RowKind(kind), {TESTS[0]: figure} if figure else {}, overall)
    column = replace(board.columns[0], title="First")
    rows = {"pinned": (row,), "ranked": ()} if is_pinned else {"ranked": (row,)}
    return replace(board, columns=(column, board.columns[1]), **rows, **facts)


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


def test_a_cell_says_what_its_figure_rests_on():
    votes = {"ties": 2, "incomplete": 3, "votes": {"1": 2, "3": 5}, "single": {"score": 0.5}, "step": 0.1}
    assert facts_of(BoardCell(n=40, unread=0.25, facts=votes), 0.0004) == (
        "n 40, p < 0.001 (Holm), 20–30 % unparsed, 2 ties, which count half, 3 incomplete and not scored,"
        " 2 by one person, 5 by 3 people together, one person alone 50.0,"
        " rounded to 10 points, since some answers are withheld"
    )
    assert facts_of(BoardCell(n=40)) == "n 40"


@pytest.mark.parametrize(
    ("far", "text", "ends", "look", "p"),
    [
        (Distance(-0.2, -0.3, -0.1, 12, 0.01, ""), "−20.0", "−30 to −10", "b1", "0.010"),
        (Distance(0.0, None, 0.1, 12, 0.0004, ""), "0.0", "", "a3", "< 0.001"),
        (Distance(0.02, -0.1, 0.1, 12, None, ""), "+2.0", "−10 to +10", "", "–"),
    ],
)
def test_the_distance_to_people_has_its_sign_its_interval_and_its_tint(far, text, ends, look, p):
    row = BoardRow("x", "X", RowKind.RUN, {}, None, distance=far)
    [found] = display_rows(random_board(np.random.default_rng(1), parameters={}), [row])
    title = f"12 items that both answered, p {p} (Holm)"
    assert found.distance == CellDisplay(text, range=ends, look=look, title=title)


def test_under_a_name_stand_the_facts_of_its_kind():
    whole = BoardCell(score=0.5, n=12345, unread=0.25)
    known = {"note": "Asked twice. More.", "parameters": "7B", "maker": "Lab", "apart": "parser x", "rank": (2, 4)}
    row = BoardRow("x", "X", RowKind.RUN, {}, whole, date=date(2026, 11, 3), badges=("verified",), **known)
    rows = [row, replace(row, overall=None, date=None, rank=(3, 3))]
    rows += [replace(row, kind=kind, rank=None) for kind in (RowKind.HUMAN, RowKind.PUBLISHED)]
    rows.append(replace(rows[-1], of_people=True))
    found = display_rows(random_board(np.random.default_rng(1), parameters={}), rows)
    assert [(one.rank, one.n, one.facts) for one in found] == [
        ("2–4", "12\u202f345", ["Lab", "7B", "parser x", "3 Nov 2026", known["note"], "25.0 % unparsed", "verified"]),
        ("3", "", ["Lab", "7B", "parser x", known["note"], "verified"]),
        ("", "12\u202f345", [known["note"]]),
        ("", "12\u202f345", ["7B"]),
        ("", "12\u202f345", ["Asked twice"]),
    ]


def test_a_figure_in_a_sentence_has_its_interval_or_is_as_printed():
    cells = [BoardCell(score=0.5, low=0.4, high=0.6), BoardCell(score=0.5), BoardCell(published_text="about 80")]
    assert [figure(cell) for cell in (*cells, BoardCell())] == ["50.0 % (40–60)", "50.0 %", "about 80 %", "– %"]
    differences = ((0.123, 1), (-0.123, 1), (0.0004, 1), (-0.0004, 0), (0.5, 0))
    assert [points(*one) for one in differences] == ["+12.3", "−12.3", "0.0", "0", "+50"]
    assert [published_interval(text) for text in ("96.5 ± 2.5", "96")] == [(0.94, 0.99), (None, None)]


def test_a_figure_has_a_link_to_its_items_and_a_name_by_its_column():
    view = view_of(GRASP, {"level": "2"}, AvailablePacks())
    row = BoardRow("run-1", "X", RowKind.RUN, {}, None, keys={"block": "run-2"})
    columns = [
        OF_ALL,
        BoardColumn("Gravity", "Gravity"),
        BoardColumn("block/Gravity", "", block="block", value="Gravity"),
    ]
    columns.append(BoardColumn("block/whole", "", block="block"))
    assert [link_to_items(row, view, column).removeprefix("items/?row=") for column in columns] == [
        "run-1&split=all&level=2",
        "run-1&split=all&test=Gravity",
        "run-2&split=all&test=Gravity",
        "run-2&split=all&level=2",
    ]
    whole, own = ("level", "2"), (view.group, "Gravity")
    names = [("run-1", *whole), ("run-1", *own), ("run-2", *own), ("run-2", *whole)]
    assert [key_of(row, view, column) for column in columns] == [figure_key(key, "all", *rest) for key, *rest in names]
    assert key_of(replace(row, kind=RowKind.PUBLISHED), view) == ""
    points = view_of(BENCHMARKS["giraffe"], {"level": "3", "dimension": "accuracy"}, AvailablePacks())
    assert key_of(row, points) == ""
    assert link_to_items(row, points, OF_ALL).endswith("&level=3&dimension=accuracy")


def test_a_row_of_people_says_how_many_there_were_and_one_of_a_referee_by_whom_it_is_scored(physics):
    view = view_of(GRASP, {"level": "2"}, AvailablePacks())
    people = make_people(physics, level="2")
    assert row_of(people, view).note == "6 people, 3 a clip"
    people.cells["level"]["2"] |= {"people": 1, "judgments": 50}
    people.overall["of"] = 41
    assert row_of(people, view).note == "1 person, 1.25 a clip, 40 of 41 clips"
    assert row_of(people, view_of(GRASP, {"level": "1"}, AvailablePacks())) is None
    for temperature, note in ((0.7, "scored by judge, temperature 0.7"), (0.0, "scored by judge")):
        run = make_run(physics, referee="judge", sampling={"temperature": temperature})
        assert row_of(make_row(run, {"level": {"2": CELL}}), view).note == note


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
    marks = [mark for row in display_rows(board, board.ranked) for mark in row.cells]
    assert {mark.look[:1] for mark in marks} >= {"", "f"}
    for mark in marks:
        below = is_below(re.search(r"p (< 0\.001|[\d.]+) \(Holm\)", mark.title)[1])
        assert below is None or (mark.look[:1] in ("a", "b")) == (below and not mark.look.startswith("few"))
        assert bool(mark.sign) == (mark.look[:1] in ("a", "b"))
    guessing = random_board(np.random.default_rng(seed), parameters={"columns": "guessing"})
    for mark in (mark for row in display_rows(guessing, guessing.ranked) for mark in row.cells):
        assert mark.look == "few" or is_below(mark.text) in (None, bool(mark.look))


@pytest.mark.parametrize(
    ("kind", "look"), [("human", "real"), ("simulated", "sim"), ("published", ""), ("uploaded", "a3")]
)
def test_people_and_papers_are_never_tinted(kind, look):
    figure = BoardCell(score=0.9, n=40, low=0.8, high=0.95, p=0.0001)
    board = board_with(kind, figure)
    assert display_rows(board, board.ranked)[0].cells[1].look == look


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


def test_sixteen_tests_stand_in_the_order_of_concepts_under_short_heads(visitor, heat):
    page = compact(visitor.get(LEVEL_2).content.decode())
    columns, groups = columns_by_concept(board_of(view_of(GRASP, {"level": "2"})))
    assert [concept.slug for concept, _ in groups][:3] == ["continuity", "solidity", "inertia"]
    assert sum(span for _, span in groups) == len(columns) == 16
    table = page.partition('class="heat flat many"')[2].partition("</table>")[0]
    assert table.count('scope="col"') == 19  # name, rank, overall and sixteen tests
    assert re.search(r'aria-label="Ball on a slope"> ?Slope', table)
    items = re.escape(f"items/?row=run-{heat.run_id}&amp;split=all&amp;test=Gravity")
    assert re.search(rf'<td class="cell"><a href="{items}" title="n 40"><b>73</b></a></td>', table)
    assert page.index("People") < page.index(">Chance<") < page.index(">Seer<")
    empty = visitor.get(f"{LEVEL_2}&search=nobody").content.decode()
    assert ">Reset</a>" in empty
    # the same figures turned, for phones
    turned = page.partition('class="heat turned"')[2].partition("</table>")[0]
    assert turned.count("<b>73</b>") == 1
    # other figures stand in the same table
    assert 'class="heat flat' in visitor.get(f"{LEVEL_2}&columns=yes").content.decode()


def columns_at(visitor, address):
    """The columns that the board's bar names."""
    return re.search(r"Columns</span> ?(\w+)", compact(visitor.get(address).content.decode()))[1]


def test_a_board_opens_on_its_coarsest_columns_while_a_cell_has_few_clips(visitor, heat):
    heat.cells["concept"] = {"gravity": CELL, "solidity": CELL}
    heat.save()
    assert columns_at(visitor, LEVEL_2) == "Tests"
    heat.cells["test"] = {name: CELL | {"n": 11} for name in TESTS}
    heat.save()
    assert columns_at(visitor, f"{LEVEL_2}&page=1") == "Concepts"
    assert columns_at(visitor, f"{LEVEL_2}&group=test") == "Tests"


def test_columns_of_a_concept_lie_together_with_the_further_concepts_of_each():
    board = random_board(np.random.default_rng(1), parameters={})
    columns, groups = columns_by_concept(board)
    concepts = {value.value: value.concepts for value in GRASP.facet("test").values}
    assert [one.also for one in columns] == [concepts[one.column.key][1:] for one in columns]
    firsts = [number for number, one in enumerate(columns) if one.is_first]
    assert firsts == [sum(span for _, span in groups[:number]) for number in range(len(groups))]
    last = HeatColumn(BoardColumn("Slope", "Ball on a slope", caution="Read the note."), ("Inertia",))
    assert (last.short, last.full) == ("Slope", "Ball on a slope + Inertia. Read the note.")
    bare = replace(board, columns=(*board.columns, BoardColumn("Untold", "Untold")))
    assert columns_by_concept(bare) == ([HeatColumn(column, (), is_first=False) for column in bare.columns], [])


def says(kind, **facts):
    board = board_with(kind, None, **facts)
    return display_rows(board, board.ranked)[0].says


def test_a_row_without_figures_by_test_says_why():
    assert [says(kind) for kind in ("run", "published")] == ["–", "the paper gives no number by test"]
    assert says("run", hidden="until the study ends") == "until the study ends"
    assert says("published", hidden="until the study ends") == "the paper gives no number by test"


@pytest.mark.parametrize(
    ("kind", "overall", "text", "small"),
    [
        ("run", None, "", ""),
        ("run", cell(0.825, 0.7, 0.9), "82.5", "70–90"),
        ("run", BoardCell(score=0.8, facts={"step": 0.1}), "75–85", ""),
        ("published", BoardCell(published_text="about 80"), "≈ 80", "no interval"),
        ("published", BoardCell(published_text="low"), "", ""),
        ("published", BoardCell(score=0.615, published_text="61.5"), "61.5", ""),
    ],
)
def test_the_overall_figure_has_one_decimal_or_is_as_printed(kind, overall, text, small):
    board = board_with(kind, cell(0.5, 0.4, 0.6), overall)
    found = display_rows(board, board.ranked)[0].cells[0]
    assert (found.text, found.range, found.is_whole) == (text, small, True)


@pytest.mark.parametrize(
    ("kind", "figure", "found"),
    [
        ("run", cell(0.595, 0.51, 0.66), ("60", "51–66", "n 40")),
        ("published", BoardCell(score=0.615, published_text="61.5", note="Seen."), ("61.5", "", "Seen.")),
        ("published", BoardCell(published_text="low", note="Words."), ("", "", "Words.")),
    ],
)
def test_a_cell_says_its_figure_and_source(kind, figure, found):
    board = board_with(kind, figure)
    _, own, other = display_rows(board, board.ranked)[0].cells
    assert (own.text, own.range, own.title) == found
    assert bool(own.href) is (kind == "run")
    assert (other.text, other.missing) == ("", "–" if kind == "run" else "not reported")


@pytest.mark.parametrize(("search", "kept"), [("big", ["Big"]), ("500m", ["Small"]), ("nobody", [])])
def test_a_search_leaves_the_models_of_this_name_or_size_and_all_people(physics, search, kept):
    for name, parameters in (("Small", "500M"), ("Big", "7B")):
        model = make_model(name=name, slug=name.lower(), card={"parameters": parameters})
        make_row(make_run(physics, model=model, strategy="plausibility"), {"level": {"2": CELL}})
    make_people(physics, level="2", strategy="plausibility")
    board = board_of(view_of(GRASP, {"level": "2", "search": search}))
    assert sorted(row.name for row in board.ranked) == kept
    assert len(board.pinned) == len(board.people_of_papers) == 1  # the reference passes every filter
