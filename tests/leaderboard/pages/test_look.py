"""Where things stand on the first screen of home and of a board, at the widths of a desk, a tablet and a phone."""

import pytest

from leaderboard.standings.refresh import refresh
from tests.leaderboard.conftest import answered

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WINDOWS = {1440: 900, 768: 900, 390: 844}
FIRST_ROW = {1440: 260, 768: 330, 390: 380}  # px from the top, at most
PLACES = """() => {
  const visible = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.getClientRects().length);
  const ends = (selector) => visible(selector).map((one) => one.getBoundingClientRect().bottom);
  return {
    row: visible("table.heat tbody tr")[0]?.getBoundingClientRect().top,
    sentence: ends("h1"), chart: ends("table.dots"), clip: ends(".ask video"), buttons: ends(".ask button"),
    sideways: document.documentElement.scrollWidth - innerWidth,
    smallest: Math.min(...visible("body *").filter((one) => one.innerText?.trim())
      .map((one) => parseFloat(getComputedStyle(one).fontSize))),
  };
}"""


@pytest.fixture
def address(live_server, runs, study, physics):
    """A site with a model and people on two levels."""
    answered(physics, "yes", "Yes-man")
    refresh()
    return live_server.url


@pytest.mark.parametrize("width", WINDOWS)
def test_the_first_screen_has_what_visitors_come_for(address, chromium, width):
    page = chromium.new_page(viewport={"width": width, "height": WINDOWS[width]})
    for path in ("/", "/leaderboard/grasp/?level=2", "/leaderboard/grasp/?level=2&chart=profile", "/concepts/gravity/"):
        page.goto(f"{address}{path}")
        page.evaluate("document.fonts.ready")  # else words stand in whatever font is at hand
        places = page.evaluate(PLACES)
        assert places["sideways"] <= 0, path
        assert places["smallest"] >= 13, path
        if path == "/":
            assert len(places["buttons"]) == 2
            if width == 1440:
                seen = (*places["sentence"], *places["chart"], *places["clip"], *places["buttons"])
                assert max(seen) <= WINDOWS[width]
            if width == 390:
                assert max(places["buttons"]) <= 660
        elif path.endswith("level=2"):
            assert places["row"] <= FIRST_ROW[width]
    page.close()
