"""A chart in a frame of another site: only this page allows it; it is current and has a snippet."""

import html
import re
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.django_db
BOARD = "/leaderboard/grasp/?level=1"


def snippet(page):
    [field] = re.findall(r"<textarea[^>]*>(.*?)</textarea>", page, re.S)
    return html.unescape(field)


def test_the_snippet_of_a_board_leads_to_a_chart_that_any_site_may_frame(visitor, board):
    address = urlsplit(html.unescape(re.search(r'src="([^"]+)"', snippet(visitor.get(BOARD).content.decode()))[1]))
    assert address.scheme
    response = visitor.get(f"{address.path}?{address.query}")
    page = response.content.decode()
    assert "frame-ancestors *" in response["Content-Security-Policy"]
    assert "X-Frame-Options" not in response
    assert not response.cookies
    assert "Vary" not in response or "Cookie" not in response["Vary"]
    assert 'class="figure"' in page
    assert re.search(r'href="/leaderboard/grasp/\?[^"]*" target="_top"', page)


def test_no_other_page_may_be_framed(visitor, board):
    for address in ("/", BOARD, "/leaderboard/grasp/charts/profile/?level=1", "/explore/"):
        response = visitor.get(address)
        assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
        assert response["X-Frame-Options"] == "DENY"


def test_what_does_not_exist_is_not_found_in_a_frame(visitor, board):
    for path in ("charts/magic/", "charts/profile/?level=9"):
        assert visitor.get(f"/embed/leaderboard/grasp/{path}").status_code == 404
