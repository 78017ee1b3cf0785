import re
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Production
from evaluation.models import Run
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_model, make_pack, make_run
from tests.leaderboard.conftest import CELL, answered, make_people, make_row, text_of
from tests.markup import compact

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/grasp/"
BENCHMARK = BENCHMARKS["grasp"]


def rows_of(visitor, query=""):
    return {row["name"]: row for row in visitor.get(f"{BOARD}?format=json&{query}").json()["rows"]}


def test_published_figures_stand_alone_and_as_printed_without_a_pack(visitor):
    page = visitor.get(BOARD)
    assert page.status_code == 200
    assert "Video-LLaMA" in text_of(page)
    assert "No clips imported yet" in text_of(page)
    # every published figure of table 2 is on the board digit by digit
    for row in BENCHMARKS["grasp"].published:
        if row.source == "Table 2":
            shown = rows_of(visitor, f"strategy={row.strategy}")[f"{row.name} {row.parameters}".strip()]
            printed = {cell.column: cell.text for cell in row.cells}
            assert {key: cell["printed"] for key, cell in shown["cells"].items()} == printed
    # the published level 2 bars are said to be not printed
    rows = rows_of(visitor, "level=2")
    nothing = dict.fromkeys(("score", "n", "low", "high", "unread", "chance"))
    assert rows["Video-LLaMA 7B"]["overall"] == nothing | {"printed": "not printed"}
    assert rows["People"]["overall"]["printed"] == "about 80"


def test_the_newest_row_is_that_of_the_latest_day(visitor, physics):
    for day in (9, 29):  # as texts "9 Nov" would come last
        run = answered(physics, "yes", f"Asked {day}")
        Run.objects.filter(pk=run.pk).update(finished_at=datetime(2026, 11, day, tzinfo=UTC))
    refresh()
    assert "newest row 29 Nov 2026" in text_of(visitor.get(f"{BOARD}?level=2"))


def test_rows_of_papers_and_of_runs_in_json_and_api(visitor, board):
    row = rows_of(visitor)["PandaGPT 7B"]
    assert (row["kind"], row["rank"], row["overall"]) == ("published", None, None)
    assert row["cells"]["Movement"]["printed"] == "35.2"
    assert [row["cells"]["Movement"][name] for name in ("low", "high", "n", "unread")] == [None] * 4
    # the json has the form of the contract
    content = visitor.get(f"{BOARD}?format=json").json()
    assert {"benchmark", "pack", "split", "group", "strategy", "condition", "columns", "rows"} <= set(content)
    row = rows_of(visitor)["Right"]
    assert {"name", "kind", "revision", "cells", "overall", "rank"} <= set(row)
    assert {"score", "n", "low", "high", "unread"} <= set(row["cells"]["Shape"])
    assert (row["rank"], row["overall"]["score"], row["kind"]) == ([1, 1], 1.0, "run")
    # the api gives the rows of the page
    page = visitor.get(f"{BOARD}?format=json").json()
    assert page.pop("provenance")["address"].startswith("http")
    assert visitor.get("/api/v1/boards/grasp/").json() == page
    assert visitor.get("/api/v1/boards/grasp/?level=7").status_code == 404
    assert [entry["benchmark"] for entry in visitor.get("/api/v1/boards/").json()["boards"]] == list(BENCHMARKS)


@pytest.mark.parametrize("simulated", [True, False])
def test_simulated_people_are_never_people(visitor, board, pack, simulated):
    make_people(pack, simulated=simulated)
    page = compact(visitor.get(BOARD).content.decode())
    assert ('<tr class="simulated pinned">' in page) is simulated
    assert ('<tr class="human pinned">' in page) is not simulated
    assert ("Simulated people" in page) is simulated


def test_a_trained_model_is_marked_and_a_name_from_outside_is_text(visitor, pack):
    answered(pack, "yes", model=make_model(name="Own", made_here=True))
    refresh()
    assert "trained here" in text_of(visitor.get(BOARD))
    # a name from outside is shown as text
    name = '<script>alert("x")</script>'
    answered(pack, "yes", name)
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
        answered(pack, "yes", f"More {number}")
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
    assert max(few[1:]) <= 22


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


def test_the_page_stays_below_its_size_with_fifty_rows_of_sixteen_columns(visitor):
    pack = make_pack()
    tests = {value.value: CELL for value in BENCHMARK.facet("test").values if value.level == "2"}
    for number in range(60):
        run = make_run(pack, model=make_model(name=f"Model with a long name {number}"), strategy="plausibility")
        make_row(run, {"level": {"2": CELL}, "test": tests})
    page = visitor.get(f"{BOARD}?level=2")
    assert page.content.count(b'<tr class="run') == 50
    assert len(page.content) < 300_000


def test_a_search_finds_rows_by_name_and_one_that_finds_nobody_leads_back_to_the_view_without_it(visitor, board):
    assert "Right" in (found := text_of(visitor.get(f"{BOARD}?search=righ")))
    assert "Video-LLaMA" not in found
    page = visitor.get("/leaderboard/grasp/?rows=run&columns=halves&search=nobody").content.decode()
    assert "No row has “nobody” in its name" in page
    assert "Nobody answered these clips" not in page
    [back] = re.findall(r'href="\?([^"]*)">Without the search', page)
    assert "Right" in visitor.get(f"/leaderboard/grasp/?{back.replace('&amp;', '&')}").content.decode()
    assert "columns=halves" in back


PRINTED = re.compile(r'<tr class="published"[^>]*>.*?</tr>')
CRAFT = "/leaderboard/craft/?split=hard-test"


def printed_rows(page):
    """Name and overall figure of each published model, in page order."""
    found = PRINTED.findall(compact(page.content.decode()))
    return [(re.search(r"<bdi[^>]*>([^<]*)", row)[1], re.findall(r"<b>([\d.]+)", row)) for row in found]


def first_figures(page):
    return [float(figures[0]) for _, figures in printed_rows(page)]


@pytest.mark.parametrize(("sort", "said", "turned"), [("", "descending", True), ("&sort=-overall", "ascending", False)])
def test_the_order_of_published_rows_is_the_one_that_the_head_says(visitor, sort, said, turned):
    page = visitor.get(CRAFT + sort)
    assert len(first_figures(page)) == 14
    assert first_figures(page) == sorted(first_figures(page), reverse=turned)
    head = re.search(
        r'<th scope="col" class="total" aria-sort="(\w+)"[^>]*> ?<a [^>]*data-column="(\w+)"',
        compact(page.content.decode()),
    )
    assert head.groups() == (said, "overall")


@pytest.mark.parametrize("sort", ["", "&sort=-overall", "&sort=name"])
def test_reported_people_stand_on_top_in_every_order(visitor, sort):
    page = compact(visitor.get(CRAFT + sort).content.decode())
    body = page.partition("<tbody>")[2]
    assert '<tr class="published pinned">' in body.partition("</tr>")[0]
    assert '<span class="badge reported">Reported</span>' in body.partition("</tr>")[0]


def test_models_without_a_number_are_one_line_in_every_grouping(visitor):
    page = compact(visitor.get("/leaderboard/grasp/?level=2").content.decode())
    assert not PRINTED.search(page)
    assert "7 models: the paper reports no numbers for this level." in page
    assert page.count("Video-ChatGPT 7B") == 1
    assert "≈ 80" in page
    # published rows stay where the view groups by something else
    page = visitor.get("/leaderboard/grasp/?level=2&group=concept").content.decode()
    assert "≈ 80" in page
    assert "7 models: no numbers reported in this grouping." in page
    text = visitor.get("/leaderboard/grasp/?level=2&strategy=text&group=concept")
    assert ("GPT-4", ["75.0"]) in printed_rows(text)
    # no head claims an order where nobody has such a figure
    page = compact(visitor.get("/leaderboard/grasp/?level=1").content.decode())
    assert "aria-sort" not in page
    assert 'aria-sort="descending"' in compact(visitor.get("/leaderboard/grasp/?level=1&sort=Shape").content.decode())
    # a board of overall figures alone has no empty column and a chart
    page = compact(visitor.get("/leaderboard/pacs/").content.decode())
    heads = re.findall(r'<th [^>]*scope="col"[^>]*>(.*?)</th>', page.partition("<table")[2].partition("</thead>")[0])
    words = [re.sub(r"<[^>]+>|&nbsp;|[↓↑]", "", head).strip() for head in heads]
    assert words == ["People, then models", "Rank", "Overall"]

    assert "PACS" not in "".join(heads)
    page = compact(visitor.get("/leaderboard/pacs/?chart=profile").content.decode())
    assert "PACS: overall accuracy" in page
    assert re.search(r"Merlot Reserve \(Large\)</bdi> ?<span>70.1", page)
