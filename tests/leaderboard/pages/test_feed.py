"""The Atom feed of recent changes."""

from xml.etree import ElementTree

import pytest
from django.utils import timezone

from leaderboard.standings.refresh import refresh
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"


def entries(visitor):
    answer = visitor.get("/feed.atom")
    assert answer["Content-Type"].startswith("application/atom+xml")
    return [
        {part.tag.removeprefix(ATOM): part.text or part.get("href") for part in entry}
        for entry in ElementTree.fromstring(answer.content).iter(f"{ATOM}entry")
    ]


def test_the_feed_names_rows_and_packs_with_links_that_open_and_no_figure(visitor, pack):
    run = answered(pack, "yes", "Seven", finished_at=timezone.now())
    refresh()
    found = entries(visitor)
    assert [entry["title"].partition(",")[0] for entry in found] == ["Seven", "Small"]
    assert found[0]["link"] == f"http://testserver{run.get_absolute_url()}"
    assert all(visitor.get(entry["link"]).status_code == 200 for entry in found)
    assert "50.0" not in visitor.get("/feed.atom").content.decode()


def test_an_empty_site_has_an_empty_feed(visitor, db):
    assert entries(visitor) == []


@pytest.mark.parametrize("page", ["/", "/leaderboard/", "/leaderboard/grasp/"])
def test_home_and_boards_name_the_feed(visitor, pack, page):
    assert 'type="application/atom+xml" href="/feed.atom"' in visitor.get(page).content.decode()
