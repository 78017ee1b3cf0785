"""Results of later papers, from a file or a form, appear on boards with their citation, or nothing is stored."""

import csv
import io
import json

import pytest
from django.test import Client

from accounts.models import User
from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.board.cache import version_of
from leaderboard.charts.grasp_figure_3 import figure_3
from leaderboard.models import PublishedResult
from leaderboard.publications.paper_tables import ROWS, table_named
from tests.commands import say, told
from tests.markup import compact

pytestmark = pytest.mark.django_db

RESULT = {
    "benchmark": "grasp",
    "level": "2",
    "strategy": "plausibility",
    "row": "A made-up model 7B",
    "cell": "overall",
    "figure": "63.4",
    "source": "An Invented Paper, Table 4",
    "link": "https://example.org/paper",
    "date": "2025-06",
    "checked_by": "first reader",
}
BOARD = "/leaderboard/grasp/?level=2&strategy=plausibility"


def written(folder, *results, form="json"):
    path = folder / f"results.{form}"
    if form == "json":
        path.write_text(json.dumps(results))
    else:
        out = io.StringIO(newline="")
        table = csv.DictWriter(out, list(results[0]))
        table.writeheader()
        table.writerows(results)
        path.write_text(out.getvalue())
    return path


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_file_puts_rows_with_citation_and_date_on_the_board(tmp_path, client, form):
    before = version_of("grasp")
    path = written(tmp_path, RESULT, RESULT | {"cell": "Gravity", "figure": "58.0 ± 1.2"}, form=form)
    assert say("import_published", path) == "results of later papers: 2, new: 2\n"
    assert version_of("grasp") != before
    page = compact(client.get(BOARD).content.decode())
    _, _, later = page.partition("Reported in later papers")
    for words in ("A made-up model 7B", "63.4", "58.0 ± 1.2", "An Invented Paper, Table 4, 2025-06", "example.org"):
        assert words in later
    assert later.count('<tr class="published">') == 1
    rows = client.get(BOARD + "&format=json").json()["rows"]
    (row,) = [row for row in rows if row["name"] == "A made-up model 7B"]
    assert (row["kind"], row["rank"]) == ("published", None)
    assert told("import_published", path) == {"results": 2, "new": 0}


def test_the_papers_own_tables_and_figure_do_not_take_it_in(tmp_path):
    of_level_1 = {"level": "1", "strategy": "binary", "cell": "Color", "row": "Another"}
    text = RESULT | {"strategy": "text", "row": "A third"}
    say("import_published", written(tmp_path, RESULT, RESULT | of_level_1, text))
    for layout in ("grasp-table-2", "grasp-table-3", "grasp-text-only"):
        table = str(table_named(layout, rows=ROWS))
        assert not any(name in table for name in ("made-up", "Another", "A third"))
    assert not any("made-up" in bar.name for bar in figure_3(BENCHMARKS["grasp"]).missing)


def test_a_row_is_cited_where_it_was_asked_and_nowhere_else(tmp_path, client):
    say("import_published", written(tmp_path, RESULT))
    note = "A made-up model 7B: An Invented Paper, Table 4, 2025-06, no interval and no rank of ours."
    assert note in client.get(BOARD + "&format=md").content.decode()
    # another figure of the same source is refused
    say("import_published", written(tmp_path, RESULT))
    with pytest.raises(CallerMistake, match=r"which has 63\.4 already"):
        say("import_published", written(tmp_path, RESULT | {"figure": "64.3"}))
    assert PublishedResult.objects.get().figure == "63.4"


def test_a_row_stands_where_it_was_asked_and_nowhere_else(tmp_path, client):
    say("import_published", written(tmp_path, RESULT | {"strategy": "text"}))
    assert "A made-up model" not in client.get(BOARD).content.decode()
    assert "A made-up model" in client.get("/leaderboard/grasp/?level=2&strategy=text").content.decode()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"benchmark": "grips"}, "entry 2: benchmark: 'grips' is none of grasp, "),
        ({"level": "9"}, "entry 2: level: '9' is none of 1, 2"),
        ({"strategy": "binary"}, "entry 2: strategy: 'binary' is none of plausibility, "),
        ({"condition": "dreams"}, "entry 2: condition: 'dreams' is none of "),
        ({"condition": "text"}, "entry 2: condition: 'text' is none of "),
        ({"split": "official"}, "entry 2: split: 'official' is none of all, paper, human"),
        ({"split": "train"}, "entry 2: split: 'train' is none of all, "),
        ({"cell": "Magic"}, "entry 2: cell: 'Magic' is none of overall, "),
        ({"cell": "Color"}, "entry 2: cell: 'Color' is none of overall, "),
        ({"figure": "high"}, "entry 2: figure: 'high' is no per cent as printed"),
        ({"figure": "634"}, "entry 2: figure: '634' is no per cent"),
        ({"figure": "nan"}, "entry 2: figure: 'nan' is no per cent"),
        ({"source": "A paper"}, "entry 2: source: 'A paper' names no page, table or figure"),
        ({"source": ""}, "entry 2: source: is missing"),
        ({"checked_by": ""}, "entry 2: checked_by: is missing"),
        ({"date": "June"}, "entry 2: date: 'June' is no year"),
        ({"link": "javascript:alert(1)"}, "entry 2: link: "),
        ({"row": "x" * 121}, "entry 2: row: "),
        ({"colour": "red"}, "entry 2: 'colour' is no field"),
        ({"row": ["x"]}, "entry 2: row must be text"),
        ({"figure": "60.0"}, "entry 2: figure: 60.0 for A made-up model 7B, overall, which has 63.4 already"),
    ],
)
def test_a_mistake_names_entry_and_field_and_nothing_is_kept(tmp_path, change, said):
    with pytest.raises(CallerMistake) as caught:
        say("import_published", written(tmp_path, RESULT, RESULT | change))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not PublishedResult.objects.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no result"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[1]", "entry 1: has other cells than the columns, or is no object"),
        (b"{", "not a JSON document"),
        (b"benchmark,level\ngrasp\n", "line 2: has other cells than the columns"),
        (b"benchmark,level\ngrasp,2\n", "line 2: row, figure, source, checked_by: is missing"),
    ],
)
def test_a_file_that_can_not_be_read_is_one_sentence(tmp_path, content, said):
    (tmp_path / "results").write_bytes(content)
    with pytest.raises(CallerMistake) as caught:
        say("import_published", tmp_path / "results")
    assert said in str(caught.value)


# --- by form, with a second reader ---


def staff(name):
    client, user = Client(), User(username=name)
    user.take_role("admin")
    user.save()
    client.force_login(user)
    return client


def confirm(client):
    marked = {"action": "confirm", "_selected_action": [PublishedResult.objects.get().pk]}
    return client.post("/admin/leaderboard/publishedresult/", marked, follow=True).content.decode()


def test_what_one_enters_is_shown_when_another_has_confirmed_it(client):
    first, second = staff("ada"), staff("bo")
    fields = {name: value for name, value in RESULT.items() if name != "checked_by"}
    refused = first.post("/admin/leaderboard/publishedresult/add/", fields | {"cell": "Magic"}).content.decode()
    assert "is none of overall" in refused
    assert not PublishedResult.objects.exists()
    first.post("/admin/leaderboard/publishedresult/add/", fields)
    assert "A made-up model" not in client.get(BOARD).content.decode()
    assert "somebody else has to confirm: 1" in confirm(first)
    assert PublishedResult.objects.get().checked_by == ""
    assert "Confirmed: 1" in confirm(second)
    assert PublishedResult.objects.get().checked_by == "bo"
    assert "An Invented Paper, Table 4, 2025-06" in client.get(BOARD).content.decode()
    page = f"/admin/leaderboard/publishedresult/{PublishedResult.objects.get().pk}/change/"
    first.post(page, fields | {"figure": "99.0"})
    assert PublishedResult.objects.get().figure == "63.4"
