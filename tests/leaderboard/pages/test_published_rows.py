"""Rows of papers on boards: sorted, people on top, rows without a figure in one line, none lost."""

import re

import pytest

from tests.markup import compact

pytestmark = pytest.mark.django_db
PRINTED = re.compile(r'<tr class="published ?"[^>]*>.*?</tr>')
CRAFT = "/leaderboard/craft/?split=hard-test"


def rows_of(page):
    """Name and overall figure of each published model, in page order."""
    found = PRINTED.findall(compact(page.content.decode()))
    return [
        (re.search(r'class="who">.*?<(?:a|span)[^>]*>([^<]*)', row)[1], re.findall(r"<b>(?:<span[^>]*>)?([\d.]+)", row))
        for row in found
    ]


def first_figures(page):
    return [float(figures[0]) for _, figures in rows_of(page)]


@pytest.mark.parametrize(("sort", "said", "turned"), [("", "descending", True), ("&sort=-overall", "ascending", False)])
def test_the_order_of_published_rows_is_the_one_that_the_head_says(visitor, sort, said, turned):
    page = visitor.get(CRAFT + sort)
    assert len(first_figures(page)) == 14
    assert first_figures(page) == sorted(first_figures(page), reverse=turned)
    head = re.search(
        r'<th scope="col" aria-sort="(\w+)"[^>]*> ?<a [^>]*data-column="(\w+)"', compact(page.content.decode())
    )
    assert head.groups() == (said, "overall")


def test_no_head_claims_an_order_where_nobody_has_such_a_figure(visitor):
    page = compact(visitor.get("/leaderboard/grasp/?level=1").content.decode())
    assert "aria-sort" not in page
    assert 'aria-sort="descending"' in compact(visitor.get("/leaderboard/grasp/?level=1&sort=Shape").content.decode())


@pytest.mark.parametrize("sort", ["", "&sort=-overall", "&sort=name"])
def test_reported_people_stand_on_top_in_every_order(visitor, sort):
    page = compact(visitor.get(CRAFT + sort).content.decode())
    body = page.partition("<tbody>")[2]
    assert "of-people" in body.partition("</tr>")[0]
    assert "reported in the paper" in body.partition("</tr>")[0]


def test_models_without_a_number_are_one_line(visitor):
    page = compact(visitor.get("/leaderboard/grasp/?level=2").content.decode())
    assert not PRINTED.search(page)
    [line] = re.findall(r"<summary>(\d models: [^<]*)</summary>", page)
    assert line == "7 models: the paper reports no numbers for this level."
    assert page.count("Video-ChatGPT 7B") == 1
    assert "about 80" in page


def test_published_rows_stay_where_the_view_groups_by_something_else(visitor):
    page = visitor.get("/leaderboard/grasp/?level=2&group=concept").content.decode()
    assert "about 80" in page
    assert "7 models: no numbers reported in this grouping." in page
    text = visitor.get("/leaderboard/grasp/?level=2&strategy=text&group=concept")
    assert ("GPT-4", ["75.0"]) in rows_of(text)


def test_a_board_of_overall_figures_alone_has_no_empty_column_and_a_chart(visitor):
    page = compact(visitor.get("/leaderboard/pacs/").content.decode())
    heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', page.partition("<table")[2].partition("</thead>")[0])
    assert [re.sub(r"<[^>]+>|[▾▴]", "", head).strip() for head in heads][:2] == ["Model or group", "Overall"]
    assert "PACS" not in "".join(heads)
    assert "PACS: overall accuracy" in page
    assert "Merlot Reserve (Large): Overall 70.1 %" in page
