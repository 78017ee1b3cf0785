import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.stats import norm

from benchmarks.definitions.definition import plural
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Run
from evaluation.runs.results import store_results
from leaderboard.board.assemble import Doubt, assemble, chance_of, of_one_referee, referees_among
from leaderboard.board.board_row import BoardCell, BoardColumn, BoardRow
from leaderboard.board.cell_display import display_rows
from leaderboard.board.query import AvailablePacks, BadAddress, view_of
from leaderboard.models import RankTest, Standing
from leaderboard.row_kinds import RowKind
from leaderboard.standings.paired_differences import Distance
from leaderboard.standings.refresh import refresh
from measures.scores.parsed_answers import CUT_IN_THOUGHT
from tests.factories import answer_to, make_answer, make_model, make_run
from tests.leaderboard.conftest import answered
from tests.markup import compact

GRASP = BENCHMARKS["grasp"]
COLUMNS = (BoardColumn("Shape", "Shape"), BoardColumn("Color", "Color"))


def view(**given):
    return view_of(GRASP, given, AvailablePacks())


def cell(score, spread=0.05):
    return BoardCell(score=score, n=10, low=max(0, score - spread), high=min(1, score + spread))


def row(name, score, kind="run", shape=None, key=""):
    overall = None if score is None else cell(score)
    cells = {} if shape is None else {"Shape": cell(shape)}
    return BoardRow(key=key or name, name=name, kind=RowKind(kind), cells=cells, overall=overall)


def names(rows):
    return [one.name for one in rows]


shares = some.one_of(some.none(), some.just(0.0), some.floats(0, 1))


@pytest.mark.requirement("M5")
@given(some.lists(shares, max_size=12), some.sampled_from(["overall", "-overall", "Shape", "-Shape"]))
def test_missing_is_last_both_ways_and_zero_is_a_score(scores, sort):
    rows = [row(f"row {number}", score, shape=score) for number, score in enumerate(scores)]
    shown = [one.cell(sort.removeprefix("-")) for one in assemble(view(sort=sort), COLUMNS, rows, 0.5).ranked]
    known = [one.score or 0.0 for one in shown if one is not None]
    assert shown[len(known) :] == [None] * scores.count(None)
    assert known == sorted(known, reverse=not sort.startswith("-"))


@pytest.mark.requirement("M6")
def test_ranks_searches_pins_and_kinds():
    board = assemble(view(), COLUMNS, [row("a", 0.9), row("b", 0.5), row("c", 0.52), row("d", None)], 0.5)
    assert [(one.name, one.rank) for one in board.ranked] == [("a", (1, 1)), ("c", (2, 3)), ("b", (2, 3)), ("d", None)]
    assert board.shares_ranks
    # a search moves nobody up
    board = assemble(view(search="b"), COLUMNS, [row("a", 0.9), row("b", 0.5)], 0.5)
    assert [(one.name, one.rank) for one in board.ranked] == [("b", (2, 2))]
    # people are pinned and published rows have no rank
    rows = [row("a", 0.9), row("People", 0.7, "human"), row("Simulated people", 0.6, "simulated")]
    board = assemble(view(), COLUMNS, [*rows, row("P", 0.99, "published")], 0.5)
    assert (names(board.pinned), names(board.ranked)) == (["People", "Simulated people"], ["a"])
    assert (names(board.published), board.published[0].rank, board.ranked[0].rank) == (["P"], None, (1, 1))
    # kinds of rows can be left out
    board = assemble(view(rows="run"), COLUMNS, [row("a", 0.9), row("b", 0.5, "uploaded"), row("P", 0.7, "human")], 0.5)
    assert names(board.rows) == ["a"]


def test_chance_plurals_and_words_of_a_published_row():
    # overall chance is what was measured first
    measured = replace(row("b", 0.5), overall=replace(cell(0.5), chance=0.4))
    assert chance_of(view(), [row("a", 0.5), row("none", None), measured]) == 0.4
    assert chance_of(view(), [row("a", 0.5)]) == GRASP.chance("binary", "overall")
    # a published row without a figure says so beside its other figures
    rows = [row("P", 0.7, "published", shape=0.6), row("a", 0.5)]
    overall, shape, color = display_rows(board := assemble(view(), COLUMNS, rows, 0.5), board.published)[0].cells
    assert (overall.missing, shape.missing, color.missing) == ("", "", "not reported")
    assert display_rows(board, board.ranked)[0].cells[1].missing == "–"
    # columns are named by a true plural
    several = {"test": "tests", "property": "properties", "material of either": "materials of either"}
    several |= {"materials present": "materials present"}
    assert {word: plural(word) for word in several} == several


def test_a_page_holds_fifty_rows_and_two_dozen_columns():
    rows = [row(f"row {number:03}", number / 200) for number in range(120)]
    many = [BoardColumn(str(number), "") for number in range(130)]
    pages = [assemble(view(page=str(page)), many, rows, 0.5) for page in range(1, 19)]
    held = [(one.key, column.key) for board in pages for one in board.page_rows for column in board.page_columns]
    assert sorted(held) == sorted((one.key, column.key) for one in rows for column in many)
    assert {board.page_count for board in pages} == {18}
    board = assemble(view(page="3"), COLUMNS, rows, 0.5)
    assert (len(board.page_rows), board.page_count, len(board.ranked)) == (20, 3, 120)
    with pytest.raises(BadAddress, match="has 3 page"):
        assemble(view(page="4"), COLUMNS, rows, 0.5)
    # an unknown sort says what exists
    with pytest.raises(BadAddress, match="overall, name, unread, people, Shape, Color"):
        assemble(view(sort="Taste"), COLUMNS, [], 0.5)


def test_rows_of_papers_are_its_own_later_ones_people_or_words():
    own, words = row("Own", 0.9, "published"), row("Words", None, "published")
    later = replace(row("Later", 0.8, "published"), citation="A paper, 2026")
    people = [replace(row(name, score, "published"), of_people=True) for name, score in (("P", 0.7), ("Q", None))]
    board = assemble(view(), COLUMNS, [words, *people, later, own], 0.5)
    parts = (board.of_the_paper, board.of_later_papers, board.people_of_papers, board.unprinted)
    assert [names(part) for part in parts] == [["Own"], ["Later"], ["P", "Q"], ["Words"]]


def test_ranks_outside_the_test_are_counted_and_a_doubtful_referee_ranks_nobody():
    rows = [
        row(name, score, key=f"run-{number}")
        for number, (name, score) in enumerate(zip("abcd", (0.9, 0.5, 0.2, None), strict=True))
    ]
    tested = RankTest(runs=[0, 1], packed=np.packbits([[0, 0], [1, 0]]).tobytes())
    board, plain = (assemble(view(), COLUMNS, rows, 0.5, each) for each in (tested, None))
    assert (board.are_ranks_tested, board.untested) == (True, 1)
    assert (plain.are_ranks_tested, plain.untested) == (False, 0)
    assert [one.rank for one in board.ranked] == [(1, 1), (2, 2), (3, 3), None]
    doubtful = board.unranked(Doubt("judge", None))
    assert {(one.rank, one.group) for one in doubtful.ranked} == {(None, None)}
    assert (names(doubtful.ranked), doubtful.doubt.referee, doubtful.shares_ranks) == (
        ["a", "b", "c", "d"],
        "judge",
        False,
    )


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ({"sort": "unread"}, "abc"),  # the fewer the better
        ({"sort": "-unread"}, "bac"),
        ({"sort": "people"}, "bac"),
        ({"sort": "-people"}, "abc"),
        ({"sort": "name"}, "abc"),
        ({"sort": "-name"}, "cba"),
        ({"columns": "yes"}, "bac"),
        ({"columns": "sensitivity"}, "abc"),
        ({"columns": "halves"}, "abc"),  # by the mean of both halves; one half alone is no figure
    ],
)
def test_rows_are_ordered_by_what_the_view_shows(query, order):
    halves = {"a": (0.9, 0.3), "b": (0.5, 0.3), "c": (1.0, None)}
    cells = {
        name: BoardCell(positive={"score": one}, negative={"score": other}) for name, (one, other) in halves.items()
    }
    cells["a"] = replace(cells["a"], unread=0.1, yes=0.2, d_prime=1.0)
    cells["b"] = replace(cells["b"], unread=0.3, yes=0.6, d_prime=0.5)
    far = {"a": Distance(0.1, 0.0, 0.2, 9, 0.5, ""), "b": Distance(0.2, 0.1, 0.3, 9, 0.5, "")}
    rows = [replace(row(name, None), overall=cells[name], distance=far.get(name)) for name in "cab"]
    assert "".join(names(assemble(view(**query), COLUMNS, rows, 0.5).ranked)) == order


def test_rows_of_one_referee_are_shown_of_the_one_with_the_most_unless_another_is_asked_for():
    rows = [replace(row(str(number), 0.5), referee=name) for number, name in enumerate(("x", "z", "y", "y", "x", ""))]
    assert referees_among(rows) == ["x", "y", "z"]
    assert [names(of_one_referee(view(**given), rows)[0]) for given in ({}, {"referee": "z"})] == [
        ["0", "4", "5"],
        ["1", "5"],
    ]
    with pytest.raises(BadAddress, match="'w'; there is: x, y, z"):
        of_one_referee(view(referee="w"), rows)


@pytest.mark.parametrize("sort", ["Direction", "-Direction"])
def test_a_column_that_this_view_does_not_show_orders_nothing(sort):
    rows = [row("b", 0.9), row("a", 0.4), row("c", None)]
    assert [one.name for one in assemble(view(sort=sort), COLUMNS, rows, 0.5).ranked] == ["b", "a", "c"]


def test_every_column_to_sort_by_can_be_kept_through_every_switch(visitor, board):
    """Each two choices meet on a page."""
    heads = ("overall", "Shape", "-Color", "name", "unread")
    shown = ("accuracy", "halves", "guessing")
    for (turn, sort), (place, rows) in product(enumerate(heads), enumerate(("human", "published", "run"))):
        columns = shown[(turn + place) % 3]
        query = f"sort={sort}&rows={rows}&columns={columns}&search=nobody"
        assert visitor.get(f"/leaderboard/grasp/?{query}").status_code == 200, query


@pytest.mark.django_db
def test_a_yes_man_tells_nothing_apart_and_leans_to_yes(board, visitor):
    view = visitor.get("/leaderboard/grasp/?columns=sensitivity&format=json").json()
    cells = {row["name"]: row["overall"] for row in view["rows"] if row["kind"] == "run"}
    assert cells["Yes"]["d_prime"] == pytest.approx(0)
    assert cells["Yes"]["criterion"] == pytest.approx(-norm.ppf(8.5 / 9))
    assert cells["Right"]["d_prime"] == pytest.approx(2 * norm.ppf(8.5 / 9))
    page = visitor.get("/leaderboard/grasp/?columns=sensitivity").content.decode()
    assert "0.00" in page
    assert "c −1.59" in page
    assert page.index("Right") < page.index(">Yes<")


@pytest.mark.django_db
def test_an_unread_reply_is_not_a_yes(pack, visitor):
    run = make_run(pack, model=make_model(name="Mumbler"))
    for item in pack.items.all():
        make_answer(run, item, "yes" if answer_to(item) == "yes" else None)
    refresh()
    [row] = visitor.get("/leaderboard/grasp/?columns=sensitivity&format=json&rows=run").json()["rows"]
    assert row["overall"]["d_prime"] == pytest.approx(2 * norm.ppf(8.5 / 9))


@pytest.mark.django_db
def test_peoples_sensitivity_is_over_their_single_answers(study, visitor):
    refresh()
    [row] = visitor.get("/leaderboard/grasp/?level=2&columns=sensitivity&format=json&rows=human").json()["rows"]
    hits, alarms = norm.ppf(4.5 / 10), norm.ppf(3.5 / 10)  # 2 of 3 on two plausible clips, none on the last; 1 of 3
    assert row["overall"]["d_prime"] == pytest.approx(hits - alarms)


@pytest.mark.requirement("M6")
def test_ranks_stand_beside_names_as_ranges_of_rows_that_cannot_be_told_apart(visitor, pack):
    """Eight clips of two questions each: always right, right except for one clip, always wrong."""
    for name, wrong in (("Right", 0), ("Nearly", 1), ("Wrong", 8)):
        for item in (run := make_run(pack, model=make_model(name=name, slug=name.lower()))).pack.items.all():
            is_right = int(item.key[4:]) >= wrong
            make_answer(run, item, answer_to(item) if is_right else {"yes": "no", "no": "yes"}[answer_to(item)])
    refresh()
    page = compact(visitor.get("/leaderboard/grasp/").content.decode())
    ranks = re.findall(r'<tr class="run">.*?<bdi>(\w+)</bdi>.*?<td class="rank">([^<]*)</td>', page, re.S)
    assert ranks == [("Right", "1–2"), ("Nearly", "1–2"), ("Wrong", "3")]


def test_uploads_stand_below_the_ranking_in_a_block_of_their_own(visitor, pack):
    for name, kind in (("Ours", RowKind.RUN), ("Theirs", RowKind.UPLOADED)):
        answered(pack, "yes", name, kind=kind)
    refresh()
    page = compact(visitor.get("/leaderboard/grasp/").content.decode())
    page = page.partition("<table")[2]
    places = [page.index(text) for text in (">Measured here<", "<bdi>Ours<", ">Uploaded<", "<bdi>Theirs<")]
    assert places == sorted(places)
    ranks = dict(re.findall(r'<tr class="(?:run|uploaded)">.*?<bdi>(\w+)</bdi>.*?class="rank">([^<]*)<', page))
    assert ranks == {"Ours": "1", "Theirs": "–"}


def test_a_row_says_how_many_thoughts_were_cut_off(visitor, physics):
    run = answered(physics, "yes")
    refresh()
    store_results(run)
    whole = visitor.get("/leaderboard/grasp/?level=2").content.decode()
    assert "cut off" not in whole
    run.results["counts"] |= {"unread": 2, "problems": {CUT_IN_THOUGHT: 2}}
    Run.objects.filter(pk=run.pk).update(results=run.results)
    Standing.objects.touch()
    part = 100 * 2 / run.results["counts"]["answered"]
    assert f"{part:.1f} % of thoughts cut off" in visitor.get("/leaderboard/grasp/?level=2").content.decode()
