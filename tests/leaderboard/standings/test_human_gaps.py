"""The column with each row's gap to humans."""

import re

import pytest
from statsmodels.stats.multitest import multipletests

from leaderboard.models import Comparison
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/grasp/?level=2"


@pytest.fixture
def rows(physics, study):
    """People are right on five of six clips, one model on all, one on the three plausible ones."""
    for name, answer_of in (("Knows", lambda item: answer_to(item)), ("Yes-man", lambda item: "yes")):
        answered(physics, answer_of, name)
    refresh()
    return physics


def distances(visitor, query=""):
    return {row["name"]: row["against_people"] for row in visitor.get(f"{BOARD}&format=json{query}").json()["rows"]}


def test_a_row_says_how_far_it_is_from_people_on_common_items(visitor, rows, django_assert_max_num_queries, study):
    found = distances(visitor)
    assert found["People"] is None
    assert found["Knows"]["value"] == pytest.approx(1 / 6)
    assert found["Yes-man"]["value"] == pytest.approx(3 / 6 - 5 / 6)
    assert {far["n"] for far in (found["Knows"], found["Yes-man"])} == {6}
    for far in (found["Knows"], found["Yes-man"]):
        assert far["low"] <= far["value"] <= far["high"]
    # the test is corrected for the rows in view
    raw = list(Comparison.objects.order_by("pk").values_list("second__name", "p"))
    corrected = multipletests([p for _, p in raw], method="holm")[1]
    found = distances(visitor)
    assert [found[name]["p"] for name, _ in raw] == pytest.approx(list(corrected))
    # the column is shown sorted and leads to the comparison
    page = visitor.get(f"{BOARD}&sort=people").content.decode()
    assert re.search(r"data-column=\"people\"[^>]*>\s*vs people", page)
    assert "+16.7" in page
    assert "−33.3" in page
    assert page.index("Knows") < page.index("Yes-man")
    turned = visitor.get(f"{BOARD}&sort=-people").content.decode().partition("<table")[2]
    assert turned.index("Yes-man") < turned.index("Knows")
    [link, *_] = re.findall(r'href="(/compare/[^"]+trial-study)"', page)
    assert visitor.get(link.replace("&amp;", "&")).status_code == 200
    # every line of the table has as many cells as the head
    page = visitor.get(BOARD).content.decode()
    table = page.partition('<table class="heat flat')[2].partition("</table>")[0]
    heads = len(re.findall(r'<th [^>]*scope="col"', table))
    for line in re.findall(r"<tr[ >].*?</tr>", table, re.DOTALL):
        wide = sum(int(width) - 1 for width in re.findall(r'colspan="(\d+)"', line))
        assert len(re.findall(r"<t[hd][ >]", line)) + wide == heads
    # the column costs one query
    with django_assert_max_num_queries(12):
        visitor.get(f"{BOARD}&search=nobody-knows")
    # simulated people are nobody to be measured against
    study.is_simulated = True
    study.answers_version += 1
    study.save()
    refresh()
    assert set(distances(visitor).values()) == {None}


def test_without_people_or_without_some_items_there_is_no_column(visitor, board, rows):
    assert "vs people" not in visitor.get("/leaderboard/grasp/?level=1&pack=small").content.decode()
    assert set(distances(visitor, "&caution=out").values()) == {None}
