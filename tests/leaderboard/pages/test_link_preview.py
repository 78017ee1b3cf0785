"""The preview of a shared link."""

import re
from html import unescape

import pytest
from django.contrib.staticfiles import finders
from PIL import Image

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemSeal

pytestmark = pytest.mark.django_db


def preview(visitor, address):
    page = visitor.get(address).content.decode()
    found = {name: unescape(text) for name, text in re.findall(r'<meta property="og:(\w+)" content="([^"]*)"', page)}
    assert found["image"] == "http://testserver/static/link-preview.png"
    return found | {"canonical": unescape(re.search(r'rel="canonical" href="([^"]*)"', page)[1])}


def test_links_of_boards_home_and_models_have_their_question_and_canonical_address(visitor, board):
    found = preview(visitor, "/leaderboard/grasp/?level=1&columns=accuracy&rows=human,simulated,run,uploaded,published")
    assert found["canonical"] == found["url"] == "http://testserver/leaderboard/grasp/"
    assert (found["title"], found["description"]) == ("GRASP", BENCHMARKS["grasp"].question)
    # what is chosen stays in the canonical address
    address = "http://testserver/leaderboard/grasp/?level=2"
    assert preview(visitor, "/leaderboard/grasp/?level=2&columns=accuracy")["canonical"] == address
    found = preview(visitor, "/leaderboard/grasp/?columns=halves&level=1")["canonical"]
    assert found == "http://testserver/leaderboard/grasp/?columns=halves"
    # home and a models page are named
    assert preview(visitor, "/")["title"] == "Do models understand the physical world as people do?"
    assert preview(visitor, "/models/right/")["title"] == "Right"
    # the picture has the size that previews want
    assert Image.open(finders.find("link-preview.png")).size == (1200, 630)


def test_an_items_link_names_its_question_and_a_sealed_ones_nothing(visitor, pack):
    item = pack.items.first()
    found = preview(visitor, f"{item.get_absolute_url()}?answer=1")
    assert found["canonical"] == f"http://testserver{item.get_absolute_url()}"
    assert found["description"] == item.text
    for by, status in ((WITHHELD, 200), ("trial:open", 404)):
        ItemSeal.objects.update_or_create(item=item, defaults={"by": by})
        page = visitor.get(item.get_absolute_url())
        assert page.status_code == status
        assert "og:description" not in page.content.decode()
