"""Boards of generators in Chromium: both themes, wide and narrow, without a finding of axe or a sideways scroll."""

import pytest

from extensions.generated.judging.import_scores import import_scores
from extensions.generated.published import import_published
from tests.accessibility import findings
from tests.extensions.generated.test_pairs import file_of
from tests.measures.ratings.vote_worlds import DEFECTS, planted

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
BOARDS = "/leaderboard/generated/"
PAGES = ("", "phyground/", "phyground/?dimension=Optical", "phyground/judges/phyjudge/", "votes/pairs/")


def test_pages_have_no_finding_no_sideways_scroll_and_a_silent_console(chromium, live_server, phyground, tmp_path):
    import_scores(phyground)
    (tmp_path / "Votes.csv").write_text(file_of(planted(**DEFECTS["too few votes"][0])))
    import_published(tmp_path / "Votes.csv")
    page = chromium.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    for address in PAGES:
        page.goto(live_server.url + BOARDS + address)
        for width, theme in ((1280, "light"), (360, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            assert findings(page) == [], address
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    page.close()
    assert said == []
