"""An open board: its view changes in place, and it reloads when figures change."""

import json
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from leaderboard.board.cache import hint_of
from leaderboard.standings.refresh import refresh
from tests.leaderboard.conftest import answered
from tests.site import PATIENCE, ROOT, environment

pytestmark = pytest.mark.django_db(transaction=True)
BOARD = "/leaderboard/grasp/"


@pytest.fixture
def page(chromium, live_server, board):
    """A board page with a marker that a reload would delete."""
    page = chromium.new_page()
    page.goto(live_server.url + BOARD)
    page.evaluate("window.isTheSame = true")
    yield page
    assert page.evaluate("window.isTheSame") is True
    page.close()


def rows_shown(page):
    return page.locator(".flat tr.run .who > a")


@pytest.mark.browser
def test_a_choice_changes_the_view_in_place_and_keeps_the_focus(page):
    page.locator("summary", has_text="Filters").click()
    link = page.get_by_role("link", name="Yes rate", exact=True)
    link.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".swatches")).to_contain_text("How often the answer was yes")
    assert "columns=yes" in page.url
    assert page.evaluate("document.activeElement.textContent.trim()") == "Yes rate"
    assert page.locator("details.sheet").get_attribute("open") is not None
    # a menu of the bar closes and has the focus
    page.locator("summary", has_text="Level").click()
    page.get_by_role("link", name="Intuitive physics").press("Enter")
    expect(page.locator("h1")).to_contain_text("Intuitive physics")
    assert page.evaluate("document.activeElement.matches('summary')")
    assert page.locator("details.pop[open]").count() == 0


@pytest.mark.browser
def test_sorting_keeps_the_place_in_the_table_and_the_way_back(page):
    page.set_viewport_size({"width": 800, "height": 800})
    page.evaluate("document.getElementById('board').scrollTo(120, 0)")
    page.locator("thead a", has_text="Shape").press("Enter")
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Shape")
    assert page.evaluate("document.activeElement.dataset.column") == "Shape"
    assert page.evaluate("document.getElementById('board').scrollLeft") == 120
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Shape")
    page.go_back()
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Shape")
    page.go_back()
    expect(page.locator("th[aria-sort=descending]")).to_contain_text("Overall")
    assert page.url.endswith(BOARD)


@pytest.mark.browser
def test_a_search_changes_the_view_in_place(page):
    page.locator("summary", has_text="Filters").click()
    page.get_by_label("Model name").fill("righ")
    page.keyboard.press("Enter")
    expect(rows_shown(page)).to_have_text(["Right"])
    assert "search=righ" in page.url
    assert page.evaluate("document.activeElement.id") == "search"


@pytest.mark.browser
def test_an_address_that_does_not_exist_opens_as_a_plain_page(chromium, live_server, board):
    page = chromium.new_page()
    page.goto(live_server.url + BOARD)
    page.evaluate("document.querySelector('thead a').setAttribute('href', '?sort=nothing')")
    page.locator("thead a").first.click()
    expect(page.locator("main")).to_contain_text("there is: overall")
    page.close()


@pytest.mark.browser
def test_a_hint_brings_the_new_row_without_a_reload(chromium, live_server, board, pack, settings):
    settings.SOCKET_URL = "ws://sockets.example"
    sockets = []
    page = chromium.new_page()
    page.route_web_socket("**/ws/boards/grasp/", lambda socket: sockets.append(socket))
    page.goto(live_server.url + BOARD)
    page.evaluate("window.isTheSame = true")
    sockets[0].send(json.dumps({"version": hint_of("grasp")}))  # nothing new: nothing happens
    answered(pack, "yes", "Newcomer")
    refresh()
    expect(rows_shown(page)).to_have_count(2)
    sockets[0].send(json.dumps({"version": hint_of("grasp")}))
    expect(rows_shown(page)).to_have_count(3)
    expect(page.locator("[data-board-status]")).to_contain_text("read again")
    assert page.evaluate("window.isTheSame") is True
    page.close()


ADD = """
import django; django.setup()
from tests.factories import *
counter.last = 1000  # another test numbers its rows on the same site from 1
from benchmarks.models import Pack
pack = Pack.objects.filter(name="live").first() or make_pack(name="live")
Pack.objects.filter(pk=pack.pk).update(created_at="2000-01-01T00:00:00Z")  # other tests ask the newest pack
items = list(pack.items.all()) or [make_item(pack) for _ in range(3)]
run = make_run(pack, model=make_model(name=NAME, slug=NAME), condition="video")
for item in items:
    make_answer(run, item)
"""


@pytest.mark.browser
@pytest.mark.worker
def test_a_run_that_ends_stands_on_an_open_board_without_a_reload(small_site, chromium):
    """The whole site: scheduler, standings, websockets, page."""

    def add(name):
        env = environment(small_site.folder) | {"DJANGO_SETTINGS_MODULE": "benchsite.settings"}
        code = ADD.replace("NAME", repr(name))
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=True, timeout=PATIENCE)

    add("first")
    page = chromium.new_page()
    page.goto(f"{small_site.address}{BOARD}?pack=live")
    page.evaluate("window.isTheSame = true")
    expect(rows_shown(page)).to_have_text(["first"])
    add("second")
    expect(rows_shown(page)).to_have_text(["first", "second"])
    assert page.evaluate("window.isTheSame") is True
    page.close()
