import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Production
from leaderboard.board.overviews.level_results import all_levels
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_item, make_model, make_pack, make_run
from tests.leaderboard.conftest import CELL, answer_all, make_people, make_row
from tests.markup import compact

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/grasp/"
BENCHMARK = BENCHMARKS["grasp"]


def rows_of(visitor, query=""):
    return {row["name"]: row for row in visitor.get(f"{BOARD}?format=json&{query}").json()["rows"]}


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.content.decode()))


def test_without_a_pack_the_published_figures_stand_alone(visitor):
    page = visitor.get(BOARD)
    assert page.status_code == 200
    assert "Video-LLaMA" in text_of(page)
    assert "No clips imported yet" in text_of(page)


def test_a_published_row_shows_only_what_is_printed(visitor, board):
    row = rows_of(visitor)["PandaGPT 7B"]
    assert (row["kind"], row["rank"], row["overall"]) == ("published", None, None)
    assert row["cells"]["Movement"]["printed"] == "35.2"
    assert [row["cells"]["Movement"][name] for name in ("low", "high", "n", "unread")] == [None] * 4


def test_every_published_figure_of_table_2_is_on_the_board_digit_by_digit(visitor):
    for row in BENCHMARKS["grasp"].published:
        if row.source == "Table 2":
            shown = rows_of(visitor, f"strategy={row.strategy}")[f"{row.name} {row.parameters}".strip()]
            printed = {cell.column: cell.text for cell in row.cells}
            assert {key: cell["printed"] for key, cell in shown["cells"].items()} == printed


def test_the_published_level_2_bars_are_said_to_be_not_printed(visitor):
    rows = rows_of(visitor, "level=2")
    nothing = dict.fromkeys(("score", "n", "low", "high", "unread", "chance"))
    assert rows["Video-LLaMA 7B"]["overall"] == nothing | {"printed": "not printed"}
    assert rows["People"]["overall"]["printed"] == "about 80"


def test_the_json_has_the_form_of_the_contract(visitor, board):
    content = visitor.get(f"{BOARD}?format=json").json()
    assert {"benchmark", "pack", "split", "group", "strategy", "condition", "columns", "rows"} <= set(content)
    row = rows_of(visitor)["Right"]
    assert {"name", "kind", "revision", "cells", "overall", "rank"} <= set(row)
    assert {"score", "n", "low", "high", "unread"} <= set(row["cells"]["Shape"])
    assert (row["rank"], row["overall"]["score"], row["kind"]) == ([1, 1], 1.0, "run")


@pytest.mark.parametrize(
    ("wanted", "kind"), [("csv", "text/csv"), ("md", "text/markdown"), ("latex", "x-tex"), ("xlsx", "spreadsheet")]
)
def test_the_view_can_be_taken_along(visitor, board, wanted, kind):
    answer = visitor.get(f"{BOARD}?format={wanted}&columns=halves")
    assert kind in answer["Content-Type"]
    assert "attachment" in answer["Content-Disposition"]


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_people_are_never_people(visitor, board, pack, simulated):
    make_people(pack, simulated=simulated)
    page = compact(visitor.get(BOARD).content.decode())
    assert ('<tr class="simulated">' in page) is simulated
    assert ('<tr class="human">' in page) is not simulated
    assert ("Simulated people" in page) is simulated


def test_a_trained_model_is_marked(visitor, pack):
    answer_all(make_run(pack, model=make_model(name="Own", made_here=True)), lambda item: "yes")
    refresh()
    assert "trained here" in text_of(visitor.get(BOARD))


def test_a_name_from_outside_is_shown_as_text(visitor, pack):
    name = '<script>alert("x")</script>'
    answer_all(make_run(pack, model=make_model(name=name)), lambda item: "yes")
    refresh()
    page = visitor.get(BOARD).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.requirement("M16")
def test_the_number_of_queries_is_constant(visitor, pack, board, django_assert_max_num_queries):
    def queries():
        with CaptureQueriesContext(connection) as asked:
            visitor.get(BOARD)
        return len(asked)

    few = queries()
    for number in range(6):
        answer_all(make_run(pack, model=make_model(name=f"More {number}")), lambda item: "yes")
    refresh()
    assert queries() == few <= 9
    assert queries() == 2, "a kept body asks for its version, and for what is being made"


@pytest.mark.requirement("M16")
def test_the_number_of_queries_is_the_same_for_four_times_the_responses(visitor, pack):
    """Board, list of items and recomputing, each with one seed and with four."""

    def queries(seeds):
        run = make_run(pack, seeds=list(range(seeds)))
        for seed in range(seeds):
            for item in pack.items.all():
                make_answer(run, item, "yes", seed=seed)
        found = []
        for act in (refresh, lambda: visitor.get(BOARD), lambda: visitor.get(f"{BOARD}items/?row=run-{run.pk}")):
            with CaptureQueriesContext(connection) as asked:
                act()
            found.append(len(asked))
        return found

    queries(1)  # queried once per process: content types, benchmarks defined in files
    few = queries(1)
    assert queries(4) == few
    assert max(few[1:]) <= 12


def test_a_pack_in_the_making_shows_its_progress(visitor):
    Production.objects.create(benchmark="grasp", pack_name="demo", state="making", clips_done=3, clips_total=12)
    for address in ("/", "/leaderboard/", BOARD):
        page = visitor.get(address).content.decode()
        assert '<progress max="12" value="3"' in page
        assert 'http-equiv="refresh"' in page


def test_home_shows_people_and_never_simulated_ones(visitor, board, pack):
    make_people(pack, simulated=True, score=0.987)
    assert "98.7" not in text_of(visitor.get("/"))
    make_people(pack, score=0.789)
    assert "78.9" in text_of(visitor.get("/"))


@pytest.mark.parametrize("name", ["home", "boards", "statistics", "api-docs"])
def test_each_page_answers(visitor, board, name):
    assert visitor.get(reverse(name)).status_code == 200


def test_the_page_stays_below_its_size_with_fifty_rows_of_sixteen_columns(visitor):
    pack = make_pack()
    tests = {value.value: CELL for value in BENCHMARK.facet("test").values if value.level == "2"}
    for number in range(60):
        run = make_run(pack, model=make_model(name=f"Model with a long name {number}"), strategy="plausibility")
        make_row(run, {"level": {"2": CELL}, "test": tests})
    page = visitor.get(f"{BOARD}?level=2")
    assert page.content.count(b'<tr class="run') == 50
    assert len(page.content) < 300_000


def test_the_api_gives_the_rows_of_the_page(visitor, board):
    page = visitor.get(f"{BOARD}?format=json").json()
    assert page.pop("provenance")["address"].startswith("http")
    assert visitor.get("/api/v1/boards/grasp/").json() == page
    assert visitor.get("/api/v1/boards/grasp/?level=7").status_code == 404
    assert [entry["benchmark"] for entry in visitor.get("/api/v1/boards/").json()["boards"]] == list(BENCHMARKS)


def test_a_lucky_coin_is_not_called_the_best_model():
    pack = make_pack()
    items = [make_item(pack) for _ in range(3)]
    for kind, right in (("random", 3), ("transformers", 2)):
        run = make_run(pack, model=make_model(kind=kind, name=f"by {kind}"))
        for number, item in enumerate(items):
            make_answer(run, item, "yes" if number < right else "no")
    refresh()
    first = all_levels()["grasp"][0]
    assert [one.name for one in first.models] == ["by transformers"]
    assert [one.name for one in first.baselines] == ["by random"]


def test_a_search_finds_rows_by_name_and_one_that_finds_nobody_leads_back_to_the_view_without_it(visitor, board):
    assert "Right" in (found := text_of(visitor.get(f"{BOARD}?search=righ")))
    assert "Video-LLaMA" not in found
    page = visitor.get("/leaderboard/grasp/?rows=run&columns=halves&search=nobody").content.decode()
    assert "No row has “nobody” in its name" in page
    assert "Nobody answered these clips" not in page
    [back] = re.findall(r'href="\?([^"]*)">Without the search', page)
    assert "Right" in visitor.get(f"/leaderboard/grasp/?{back.replace('&amp;', '&')}").content.decode()
    assert "columns=halves" in back
