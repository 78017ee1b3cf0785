"""A study in Firefox, at a phone's width and by keyboard alone: its clips are played, and its answers count."""

import json
from collections.abc import Iterator

import pytest

from tests.conftest import MUST_HAVE_SERVICES
from tests.firefox import PATH, Firefox, open_firefox
from tests.humantrials.browser_participant import SINCE_FETCH, judgments_of, rows_of
from tests.humantrials.site_content import FPS, SECONDS
from tests.site import Site

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not PATH, reason="SKIPPED LOUDLY: no Firefox (Debian: firefox-esr)"),
]
WIDTH = 390  # CSS pixels
H264 = """() => document.createElement("video").canPlayType('video/mp4; codecs="avc1.42E01E, mp4a.40.2"') !== ''"""
FORWARD = "main form button[type=submit]"
ANSWERS = ".answers button"
PRESENTED = """(video) => [video.getVideoPlaybackQuality().totalVideoFrames, window.presented.length,
    Math.max(...window.presented), video.currentTime, video.duration]"""


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    with open_firefox() as opened:
        opened.set_viewport_size({"width": WIDTH, "height": 844})
        if not opened.evaluate(H264):
            reason = "Firefox has no decoder of H.264 (Debian: libavcodec-extra)"
            assert not MUST_HAVE_SERVICES, reason
            pytest.skip(f"SKIPPED LOUDLY: {reason}")
        yield opened


def tab_to(firefox: Firefox, selector: str) -> None:
    firefox.wait_for_function(f"!document.querySelector({json.dumps(selector)}).matches(':disabled, [aria-disabled]')")
    for _ in range(30):
        if firefox.evaluate(f"document.activeElement.matches({json.dumps(selector)})"):
            return
        firefox.type("Tab")
    raise AssertionError(f"no way by Tab to {selector}")


def press(firefox: Firefox, selector: str = FORWARD) -> None:
    """Go to the next page by this button, as all pages of a study are left."""
    assert firefox.evaluate("document.documentElement.scrollWidth") <= WIDTH
    tab_to(firefox, selector)
    with firefox.expect_navigation():
        firefox.type("Enter")


def watch(firefox: Firefox) -> None:
    """Play the clip by the space bar: it is presented picture by picture, and its end opens the answers."""
    assert not firefox.locator(ANSWERS).is_enabled()
    firefox.evaluate(
        """() => { const video = document.querySelector("[data-clip]"); window.presented = [];
        const note = (now, frame) => { presented.push(frame.mediaTime); video.requestVideoFrameCallback(note); };
        video.requestVideoFrameCallback(note); }"""
    )
    firefox.type(" ")
    firefox.wait_for_function(f"document.querySelector('{ANSWERS}').matches(':enabled')")
    decoded, presented, latest, now, length = firefox.locator("[data-clip]").evaluate(PRESENTED)
    assert now == pytest.approx(length, abs=0.1)
    assert latest > length - 0.3
    assert decoded > FPS * length / 2
    assert presented > 3
    for selector in ("[data-clip]", f"{ANSWERS}:first-child", f"{ANSWERS}:last-child"):
        box = firefox.locator(selector).bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= WIDTH
        assert 0 <= box["y"] < box["y"] + box["height"] <= 844


@pytest.mark.requirement("P6")
@pytest.mark.requirement("P8")
def test_a_whole_study_by_keyboard_on_a_phone(site: Site, firefox: Firefox):
    firefox.goto(f"{site.address}/t/walk/?participant=fox")
    firefox.wait_for_function("(() => { const clip = document.querySelector('[data-probe]'); return clip.ended; })()")
    press(firefox, "[name=choice][value=yes]")
    press(firefox)
    watch(firefox)
    with firefox.expect_navigation():
        firefox.type("j")
    press(firefox)
    for number in (1, 2, 3):
        firefox.wait_for_function(f"document.querySelector('[data-number]').textContent === 'Video {number} of 3'")
        watch(firefox)
        firefox.type("k")
    firefox.wait_for_function("/^[A-Z0-9]{8}$/.test(document.querySelector('[data-code]').textContent)")
    judgments = judgments_of(site, firefox.url)
    assert [row["counts"] for row in judgments] == [1, 1, 1]
    assert all(row["watched"] >= 0.95 and SECONDS * 0.9 < row["seconds"] < 30 for row in judgments)
    playback = [row["playback"] for row in judgments]
    assert all(record["clock"] == "frame" and record["flags"] == [] for record in playback)
    assert all(record["viewport_width"] == WIDTH and record["seeks"] == 0 for record in playback)
    noted = rows_of(site, firefox.url, SINCE_FETCH)
    assert [row["fetches"] for row in noted] == [1, 1, 1]
    assert all(row["since"] > row["watched"] * SECONDS for row in noted)


def test_without_a_decoder_of_the_clips_nobody_can_agree(site: Site):
    with open_firefox(**{"media.ffmpeg.enabled": False}) as firefox:
        assert not firefox.evaluate(H264)
        firefox.goto(f"{site.address}/t/walk/?participant=blind-fox")
        firefox.wait_for_function("!document.querySelector('[data-unplayable]').hidden")
        assert not firefox.locator("[value=yes]").is_enabled()
        assert firefox.locator("[value=no]").is_enabled()
