"""The preview of a shared link."""

import re
from html import unescape

import pytest

from benchmarks.models import WITHHELD, ItemSeal, RenditionKind

pytestmark = pytest.mark.django_db


def preview(visitor, address):
    page = visitor.get(address).content.decode()
    found = {name: unescape(text) for name, text in re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', page)}
    return found | {"canonical": unescape(re.search(r'rel="canonical" href="([^"]*)"', page)[1])}


def test_a_boards_link_has_its_question_its_chart_and_no_default(visitor, board):
    found = preview(visitor, "/leaderboard/grasp/?level=1&columns=accuracy&rows=human,simulated,run,uploaded,published")
    assert found["canonical"] == found["url"] == "http://testserver/leaderboard/grasp/"
    assert found["title"] == "GRASP"
    assert visitor.get(found["image"])["Content-Type"] == "image/png"


def test_what_is_chosen_stays_in_the_canonical_address(visitor, board):
    address = "http://testserver/leaderboard/grasp/?level=2"
    assert preview(visitor, "/leaderboard/grasp/?level=2&columns=accuracy")["canonical"] == address
    found = preview(visitor, "/leaderboard/grasp/?columns=halves&level=1")["canonical"]
    assert found == "http://testserver/leaderboard/grasp/?columns=halves"


def test_a_board_without_rows_has_no_picture(visitor, pack):
    assert "image" not in preview(visitor, "/leaderboard/grasp/")


def test_home_and_a_models_page_are_named(visitor, board):
    assert preview(visitor, "/")["image"].startswith("http://testserver/leaderboard/grasp/charts/profile/")
    assert preview(visitor, "/models/right/")["title"] == "Right"


def test_an_items_link_shows_its_poster_and_a_sealed_ones_nothing(visitor, pack):
    item = pack.items.first()
    item.clip.renditions.create(kind=RenditionKind.POSTER, name="poster.jpg", sha256=item.clip.sha256, size=1)
    found = preview(visitor, f"{item.get_absolute_url()}?answer=1")
    assert found["canonical"] == f"http://testserver{item.get_absolute_url()}"
    assert found["image"].endswith(".jpg")
    for by, status in ((WITHHELD, 200), ("trial:open", 404)):
        ItemSeal.objects.update_or_create(item=item, defaults={"by": by})
        page = visitor.get(item.get_absolute_url())
        assert page.status_code == status
        assert "og:image" not in page.content.decode()
