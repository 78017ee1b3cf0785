"""Two clips of one scene in a browser: one button plays both; without JavaScript each has its own controls."""

import pytest

from tests.accessibility import findings
from tests.benchmarks.grasp_release import write_clip, write_trajectories
from tests.site import manage, wait_for, web_process
from tests.tables import lay_into

pytestmark = pytest.mark.browser
LONG = 200  # frames of a tenth of a second
TIMES = "[...document.querySelectorAll('[data-twins] video')].map(video => video.currentTime)"
PAUSED = "[...document.querySelectorAll('[data-twins] video')].map(video => video.paused)"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    lay_into(folder)
    for seed, truth in enumerate(("P", "IP")):
        path = folder / f"release/videos/level2/{truth}_Gravity/000.mp4"
        write_clip(path, seed=seed, noise=80, frames=LONG)
    write_trajectories(folder / "release")
    done = manage(folder, "import_benchmark", "grasp", str(folder / "release"))
    assert done.returncode == 0, done.stderr
    with web_process(folder) as running:
        yield running


def opened(site, chromium, **options):
    page = chromium.new_page(base_url=site.address, **options)
    page.goto("/benchmarks/grasp/items/?kind=plausibility")
    page.goto(page.locator(".twin figcaption a").first.get_attribute("href"))
    return page


def test_both_play_in_step_by_keyboard_and_step_by_frames(site, chromium):
    page = opened(site, chromium)
    page.get_by_role("button", name="Play both").press("Enter")
    wait_for(lambda: min(page.evaluate(TIMES)) > 0.5)
    page.get_by_role("button", name="Pause").press("Space")
    wait_for(lambda: all(page.evaluate(PAUSED)))
    first, second = page.evaluate(TIMES)
    assert abs(first - second) < 0.5  # a busy machine synchronises late
    page.evaluate("document.querySelector('[data-twins] video').currentTime = 1")
    page.get_by_role("button", name="frame ›").click()  # of a tenth of a second
    wait_for(lambda: {round(time, 2) for time in page.evaluate(TIMES)} == {1.1})
    page.get_by_role("button", name="‹ frame").click()
    wait_for(lambda: {round(time, 2) for time in page.evaluate(TIMES)} == {1.0})
    page.close()


def test_a_clip_that_is_moved_by_hand_takes_its_twin_along(site, chromium):
    page = opened(site, chromium)
    page.get_by_role("button", name="Play both").click()
    wait_for(lambda: min(page.evaluate(TIMES)) > 0.2)
    page.evaluate("document.querySelectorAll('[data-twins] video')[1].currentTime = 15")
    wait_for(lambda: max(page.evaluate(TIMES)) < 14)
    page.close()


def test_axe_finds_nothing_and_nothing_is_too_wide(site, chromium):
    page = opened(site, chromium)
    for width, theme in ((1280, "light"), (360, "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # colours change at once
        assert findings(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_without_a_script_each_has_its_own_controls(site, chromium):
    page = opened(site, chromium, java_script_enabled=False)
    assert page.locator("[data-twins] video[controls]").count() == 2
    assert not page.get_by_role("button", name="Play both").is_visible()
    page.close()
