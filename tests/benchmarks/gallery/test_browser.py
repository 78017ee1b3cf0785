"""The gallery in a real browser on a real site: clips play on hover, can be sought, and work without JavaScript."""

import pytest

from tests.benchmarks.grasp_release import write_clip, write_release
from tests.site import manage, wait_for, web_process
from tests.tables import lay_into

pytestmark = pytest.mark.browser

LENGTH = """video => new Promise(resolve => {
  video.onloadedmetadata = () => resolve(video.duration); video.preload = "metadata"; video.load();
})"""
# Polled from here: the page's policy forbids the browser to evaluate it by itself.
PLAYING = "[...document.querySelectorAll('video')].some(video => !video.paused && video.currentTime > 0.2)"
LONG = 300  # frames, half a minute: enough to seek in


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    lay_into(folder)
    release = write_release(folder / "release", ["P_Gravity"], 1)
    write_clip(release / "videos/level2/P_Gravity/001.mp4", seed=5, noise=80, frames=LONG)
    done = manage(folder, "import_benchmark", "grasp", str(release))
    assert done.returncode == 0, done.stderr
    with web_process(folder) as running:
        yield running


@pytest.fixture
def page(site, chromium):
    """A page that fails the test on any console error, and records the responses for clips."""
    page = chromium.new_page(base_url=site.address)
    page.complaints, page.clip_answers = [], []
    page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("response", lambda answer: page.clip_answers.append(answer.status) if ".mp4" in answer.url else None)
    yield page
    assert page.complaints == []
    page.close()


@pytest.fixture
def card(page):
    """The card of the long clip; the short one is over too soon."""
    page.goto("/benchmarks/grasp/items/?kind=plausibility")
    return max(page.locator("[data-gallery]").all(), key=lambda card: card.locator("video").evaluate(LENGTH))


def test_a_clip_plays_while_it_is_pointed_at(page, card):
    card.hover()
    wait_for(lambda: page.evaluate(PLAYING))
    page.mouse.move(0, 0)
    wait_for(lambda: not page.evaluate(PLAYING))


def test_what_began_when_it_was_pointed_at_goes_on_when_it_is_pressed(page, card):
    card.hover()
    wait_for(lambda: page.evaluate(PLAYING))
    button = card.get_by_role("button")
    assert button.inner_text() == "Play"
    button.click()
    page.mouse.move(0, 0)
    assert (page.evaluate(PLAYING), button.inner_text()) == (True, "Stop")
    button.click()
    wait_for(lambda: not page.evaluate(PLAYING))


def test_its_button_plays_and_stops_it_by_keyboard(page, card):
    button = card.get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    wait_for(lambda: page.evaluate(PLAYING))
    assert button.inner_text() == "Stop"
    page.keyboard.press("Enter")
    wait_for(lambda: not page.evaluate(PLAYING))
    assert button.inner_text() == "Play"


def test_a_clip_can_be_sought_because_parts_are_served(page, card):
    video = card.locator("video")
    reached = video.evaluate("(v) => new Promise(r => { v.onseeked = () => r(v.currentTime); v.currentTime = 25; })")
    assert reached == pytest.approx(25, abs=0.2)
    assert 206 in page.clip_answers


def test_nothing_is_loaded_before_it_is_wanted(page):
    page.goto("/benchmarks/grasp/items/?kind=plausibility", wait_until="networkidle")
    assert page.clip_answers == []


@pytest.mark.parametrize("address", ["/benchmarks/", "/benchmarks/grasp/", "/benchmarks/grasp/items/"])
def test_pages_fit_a_phone(page, address):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_without_a_script_the_browser_has_its_own_controls(site, chromium):
    page = chromium.new_page(base_url=site.address, java_script_enabled=False)
    page.goto("/benchmarks/grasp/items/?kind=plausibility")
    assert page.locator("video[controls]").count() == 2
    assert page.locator("[data-play]:visible").count() == 0
    page.close()
