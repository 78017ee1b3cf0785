"""Participation in Chromium on a real site with real clips: by keyboard, with faults, without JavaScript, in Arabic."""

import re
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.humantrials.browser_participant import SINCE_FETCH
from tests.humantrials.site_content import SECONDS, write_clip
from tests.site import wait_for

pytestmark = pytest.mark.browser
# A browser whose first report of a frame comes when a quarter of a second was played, as on a busy phone.
LATE_FIRST_FRAME = """
    const watch = HTMLVideoElement.prototype.requestVideoFrameCallback;
    HTMLVideoElement.prototype.requestVideoFrameCallback = function (report) {
      watch.call(this, (now, frame) => {
        if (frame.mediaTime < 0.25) this.requestVideoFrameCallback(report);
        else report(now, frame);
      });
    };"""

# Firefox on a busy machine at times reports pictures that are shown half a second later, here two of three.
LATER_PICTURES = """
    const watch = HTMLVideoElement.prototype.requestVideoFrameCallback;
    let number = 0;
    HTMLVideoElement.prototype.requestVideoFrameCallback = function (report) {
      watch.call(this, (now, { mediaTime, expectedDisplayTime }) => {
        number += 1;
        report(now, { expectedDisplayTime, mediaTime: mediaTime + (number % 3 && mediaTime < 0.5 ? 0.5 : 0) });
      });
    };"""


@pytest.mark.requirement("P6")
@pytest.mark.requirement("P8")
def test_the_whole_road_by_keyboard_alone(seat):
    page = seat.enter().page
    seat.press_by_key("I agree")
    seat.press_by_key("Try it with one video")
    seat.watch().page.keyboard.press("j")
    seat.press_by_key("Start with the first video")
    for number in range(1, 4):
        expect(page.locator("[data-number]")).to_have_text(f"Video {number} of 3")
        expect(seat.answers.first).to_be_disabled()
        seat.watch().page.keyboard.press("k")
    expect(page.locator("[data-code]")).to_have_text(re.compile("^[A-Z0-9]{8}$"))
    stored = seat.judgments()
    assert [row["counts"] for row in stored] == [1, 1, 1]
    assert len({row["answer"] for row in stored}) == 1
    assert all(row["watched"] >= 0.95 and 1.0 < row["seconds"] < 30 for row in stored)
    assert all(row["playback"]["clock"] == "frame" and row["playback"]["flags"] == [] for row in stored)
    noted = seat.rows(SINCE_FETCH)
    assert [row["fetches"] for row in noted] == [1, 1, 1]
    assert all(row["since"] > row["watched"] * SECONDS for row in noted)  # no answer came faster than its clip
    assert seat.complaints == []
    assert seat.context.cookies() == []


@pytest.mark.requirement("P2")
def test_a_reload_in_the_middle_goes_on(seat):
    seat.reach_trials().watch().save()
    seat.page.reload()
    expect(seat.page.locator("[data-number]")).to_have_text("Video 2 of 3")
    expect(seat.answers.first).to_be_disabled()
    assert len(seat.judgments()) == 1


@pytest.mark.requirement("P8")
def test_what_was_watched_before_a_reload_counts(seat):
    seat.reach_trials().page.set_viewport_size({"width": 900, "height": 700})
    seat.watch().page.reload()
    expect(seat.answers.first).to_be_enabled()
    seat.page.locator("video").evaluate("(video) => { video.muted = true; }")
    seat.page.wait_for_timeout(500)  # ten redrawings
    (stored,) = seat.save()
    expect(seat.answers.first).to_be_disabled()
    playback = stored["playback"]
    assert stored["watched"] >= 0.95
    assert stored["seconds"] > playback["after_end"] > 0
    assert stored["seconds"] - playback["after_end"] > SECONDS * 0.9  # the first watch, before the reload
    assert (playback["reloads"], playback["muted"], playback["volume"]) == (1, 1, 1)
    assert (playback["viewport_width"], playback["viewport_height"], playback["device"]) == (900, 700, "computer")
    assert playback["pixel_ratio"] == 1
    assert 0 < playback["clip_width"] <= 900
    assert playback["refresh_hz"] > 1
    assert playback["flags"] == []


@pytest.mark.requirement("P8")
def test_seeking_to_the_end_does_not_open_the_answers(seat):
    seat.reach_trials()
    video = seat.page.locator("video")
    video.evaluate("async (video) => { video.currentTime = video.duration - 0.3; await video.play(); }")
    wait_for(lambda: video.evaluate("(video) => video.ended"))
    seat.page.wait_for_timeout(200)
    expect(seat.answers.first).to_be_disabled()
    seat.page.keyboard.press("j")
    assert seat.judgments() == []
    (stored,) = seat.watch().save()
    assert stored["playback"]["seeks"] == 1
    assert 0 < stored["playback"]["after_end"] < SECONDS  # from the end of the full watch, not of the jump
    assert stored["replays"] == 1


@pytest.mark.parametrize("reports", [LATE_FIRST_FRAME, LATER_PICTURES], ids=["late", "out of order"])
def test_a_clip_whose_frames_are_reported_badly_was_watched_in_full(seat, reports):
    seat.page.add_init_script(reports)
    seat.reach_trials().watch().page.keyboard.press("Space")
    wait_for(lambda: seat.page.locator("video").evaluate("(video) => video.currentTime < 1"))  # played again
    wait_for(lambda: seat.page.locator("video").evaluate("(video) => video.ended"))
    (stored,) = seat.save()
    assert (stored["watched"], stored["replays"], stored["playback"]["seeks"]) == (1, 1, 0)


def long_sound(path: Path) -> None:
    """A clip of one second of pictures and four of sound."""
    write_clip(pictures := path.with_name("pictures.mp4"), seconds=1)
    with av.open(str(pictures)) as source, av.open(str(path), "w", options={"movflags": "faststart"}) as file:
        stream, sound = file.add_stream_from_template(source.streams.video[0]), file.add_stream("aac", rate=48000)
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                file.mux(packet)
        for number in range(4 * 48000 // 1024):
            silence = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
            silence.pts, silence.sample_rate, silence.time_base = number * 1024, 48000, Fraction(1, 48000)
            file.mux(sound.encode(silence))
        file.mux(sound.encode(None))


MADE = {
    "a picture a second": lambda path: write_clip(path, seconds=4, fps=1),
    "a picture held for three seconds": lambda path: write_clip(path, seconds=6, fps=Fraction(1, 3)),
    "a sound that ends after the pictures": long_sound,
}
PLAYED = {
    "at half its speed": "video.playbackRate = 0.5",
    "at double speed": "video.playbackRate = 2",
    "in the browser's own loop": "video.loop = true",
    "by an extension that sets the speed at each change": """
        video.addEventListener("ratechange", () => { if (video.playbackRate !== 1.5) video.playbackRate = 1.5; });
        video.playbackRate = 1.5""",
}
FAKED = {
    "sixteen times its speed": "video.playbackRate = 16; video.play()",
    "jumps": "video.play(); setInterval(() => { if (!video.ended) video.currentTime += 0.25; }, 20)",
}


@pytest.mark.parametrize("made", MADE)
def test_a_clip_that_is_watched_opens_its_answers_however_it_is_made(seat, tmp_path, made):
    MADE[made](tmp_path / "clip.mp4")
    seat.page.route(re.compile("/m/[0-9]+$"), lambda route: route.fulfill(path=tmp_path / "clip.mp4"))
    (stored,) = seat.reach_trials().watch().save()
    assert stored["watched"] == 1


@pytest.mark.parametrize("played", PLAYED)
def test_a_clip_that_is_watched_opens_its_answers_however_it_is_played(seat, played):
    seat.reach_trials().page.locator("video").evaluate(f"(video) => {{ {PLAYED[played]} }}")
    (stored,) = seat.watch().save()
    assert stored["watched"] >= 0.95
    assert stored["playback"]["rate_changes"] == int("loop" not in played)


@pytest.mark.parametrize("faked", FAKED)
def test_a_clip_that_only_seems_to_be_watched_keeps_its_answers(seat, faked):
    video = seat.reach_trials().page.locator("video")
    video.evaluate(f"(video) => {{ {FAKED[faked]}; }}")
    wait_for(lambda: video.evaluate("(video) => video.ended"))
    seat.page.wait_for_timeout(200)
    expect(seat.answers.first).to_be_disabled()


def test_a_key_pressed_twice_answers_one_clip(seat):
    seat.reach_trials().watch()
    seat.page.keyboard.press("j")
    seat.page.keyboard.press("j")
    expect(seat.outbox).to_have_text("Saved: video 1")
    expect(seat.page.locator("[data-number]")).to_have_text("Video 2 of 3")
    assert len(seat.judgments()) == 1


@pytest.mark.requirement("P7")
@pytest.mark.parametrize("status", [403, 500, 200])
def test_a_clip_that_does_not_load_says_so_and_can_be_tried_again(seat, status):
    """Also one that breaks off in the middle."""

    def fail(route) -> None:
        body = seat.context.request.get(route.request.url).body()
        route.fulfill(status=status, body=body[: len(body) // 2], headers={"Content-Type": "video/mp4"})

    seat.page.route("**/m/*", fail)
    seat.reach_trials().page.keyboard.press("Space")
    expect(seat.failure).to_be_visible()
    expect(seat.answers.first).to_be_disabled()
    seat.page.unroute("**/m/*")
    seat.page.get_by_role("button", name="Try again", exact=True).click()
    expect(seat.answers.first).to_be_enabled()
    (stored,) = seat.save()
    assert stored["playback"]["failures"] >= 1


@pytest.mark.requirement("P7")
def test_a_browser_that_refuses_to_play_is_shown_and_recorded(seat):
    seat.page.add_init_script(
        """const play = HTMLMediaElement.prototype.play;
        let refused = false;
        HTMLMediaElement.prototype.play = function () {
          if (refused) return play.call(this);
          refused = true;
          return Promise.reject(new DOMException("no", "NotAllowedError"));
        };"""
    )
    seat.reach_trials().page.keyboard.press("Space")
    expect(seat.failure).to_be_visible()
    seat.failure.get_by_role("button").click()
    expect(seat.answers.first).to_be_enabled()
    (stored,) = seat.save("k")
    assert stored["playback"]["failures"] == 1


@pytest.mark.requirement("P6")
def test_a_clip_stops_while_the_page_is_out_of_view(seat):
    seat.reach_trials().page.keyboard.press("Space")
    seat.page.evaluate(
        """() => { Object.defineProperty(document, "hidden", { value: true, configurable: true });
        document.dispatchEvent(new Event("visibilitychange")); }"""
    )
    expect(seat.page.locator("[data-hint]")).to_contain_text("stopped while you were away")
    assert seat.page.locator("video").evaluate("(video) => video.paused")
    seat.page.evaluate("() => { delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); }")
    (stored,) = seat.watch().save()
    assert stored["playback"]["leaves"] == 1


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (360, "light"), (1440, "dark")])
def test_a_square_clip_on_white_has_no_bars_and_a_button_that_is_seen(seat, tmp_path, width, scheme):
    """Like CRAFT's videos: 256 by 256 pixels, white."""
    write_clip(tmp_path / "square.mp4", size=(256, 256), ground=(255, 255, 255))
    seat.page.set_viewport_size({"width": width, "height": 860})
    seat.page.emulate_media(color_scheme=scheme)
    seat.page.route(re.compile("/m/"), lambda route: route.fulfill(path=tmp_path / "square.mp4"))
    seat.reach_trials()
    video = seat.page.locator("[data-player] video")
    wait_for(lambda: video.evaluate("(video) => video.readyState > 1 && video.videoWidth == 256"))
    place, button = seat.page.locator("[data-player]").bounding_box(), seat.page.locator("[data-play]").bounding_box()
    assert place["width"] == pytest.approx(place["height"], abs=1)
    assert place["width"] > 230
    seat.page.screenshot(path=tmp_path / "square.png")
    picture = Image.open(tmp_path / "square.png").convert("L")
    row = round(button["y"] + button["height"] / 2)
    lights = [picture.getpixel((round(place["x"]) + at, row)) for at in range(2, round(place["width"]) - 2)]
    assert min(lights[0], lights[-1]) > 200  # the clip's white reaches both edges
    assert min(lights[: len(lights) // 2 - round(button["width"] / 2) + 4]) < 90  # the button's rim


def test_who_reports_a_clip_may_answer_at_once(seat):
    seat.reach_trials()
    seat.page.get_by_text("Something is wrong with this video").click()
    seat.page.get_by_role("button", name="The video does not play well").click()
    expect(seat.answers.first).to_be_enabled()
    (stored,) = seat.save()
    assert stored["playback"]["flags"] == ["untimed", "not-watched", "problem"]


def test_the_whole_road_without_script(take_seat):
    seat = take_seat("no-script", java_script_enabled=False).enter()
    page = seat.page
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Try it with one video").click()
    seat.answers.first.click()
    page.get_by_role("button", name="Start with the first video").click()
    for number in range(1, 4):
        expect(page.locator("[data-number]")).to_have_text(f"Video {number} of 3")
        assert page.locator("video").get_attribute("controls") is not None
        page.wait_for_timeout(500)  # sooner it would be a double click
        seat.answers.first.click()
    expect(page.locator("[data-code]")).to_have_text(re.compile("^[A-Z0-9]{8}$"))
    assert [row["seconds"] for row in seat.judgments()] == [None, None, None]


@pytest.mark.requirement("P2")
def test_who_comes_again_in_the_same_browser_goes_on_with_a_press_and_nobody_else_does(seat, browser):
    page, door = seat.enter().page, seat._door("en", "walk")
    seat.press("[data-consent] button[value=yes]")
    road = page.url
    page.close()
    page = seat.context.new_page()
    page.goto(door)
    expect(page.get_by_text("You have begun this study in this browser.")).to_be_visible()
    expect(page.locator("[data-consent]")).to_be_hidden()
    page.get_by_role("button", name="Go on").first.click()
    expect(page).to_have_url(road)
    page.goto(door.replace(seat.name, "another-id"))
    expect(page.locator("[data-consent]")).to_be_visible()
    elsewhere = browser.new_page()
    elsewhere.goto(door)
    elsewhere.locator("[data-consent] button[value=yes]").click()
    expect(elsewhere.get_by_text("Somebody has begun with this link")).to_be_visible()
    elsewhere.close()


def test_a_kept_key_that_opens_nothing_is_dropped_and_the_consent_shown(seat):
    page = seat.enter().page
    name = page.locator("[data-visit]").get_attribute("data-visit")
    page.evaluate("name => localStorage.setItem(`study ${name}`, 'x'.repeat(43))", name)
    page.reload()
    page.get_by_role("button", name="Go on").first.click()
    expect(page.locator("[data-consent]")).to_be_visible()
    assert page.evaluate("localStorage.length") == 0
    seat.press("[data-consent] button[value=yes]")
    assert "/p/" in page.url


def test_on_a_phone_the_list_of_studies_shows_where_to_take_part(seat):
    seat.page.set_viewport_size({"width": 390, "height": 844})
    seat.page.goto(f"{seat.site.address}/trials/")
    places = [link.bounding_box() for link in seat.page.get_by_role("link", name="Take part").all()]
    assert places
    assert all(place["x"] + place["width"] < 390 for place in places)


def test_zoomed_to_400_percent_the_next_clip_comes_into_view(seat):
    page = seat.reach_trials().page
    page.set_viewport_size({"width": 320, "height": 225})
    seat.watch().answers.first.click()
    expect(page.locator("[data-number]")).to_have_text("Video 2 of 3")
    assert -1 <= page.locator(".clip").bounding_box()["y"] < 200


def test_forced_colours_show_how_much_is_done(seat, tmp_path):
    seat.reach_trials().watch().save()
    seat.page.emulate_media(forced_colors="active")
    seat.page.locator("[data-progress]").screenshot(path=tmp_path / "bar.png")
    bar = Image.open(tmp_path / "bar.png").convert("RGB")
    done, left = (bar.getpixel((round(bar.width * share), bar.height // 2)) for share in (0.15, 0.85))
    edge = bar.getpixel((bar.width // 2, 0))
    assert len({done, left, edge}) == 3  # one of three is answered


def test_who_can_not_see_the_clips_learns_it_before_the_consent(seat, browser):
    agree = seat.enter("de").page.get_by_role("button", name="Ich stimme zu")
    shown = seat.page.locator("[data-probe]")
    wait_for(lambda: shown.evaluate("(video) => video.ended && video.videoWidth > 0"))
    expect(agree).to_be_enabled()
    seat.page.route("**/probe*.mp4", lambda route: route.fulfill(body=b"no clip", content_type="video/mp4"))
    seat.page.reload()
    expect(seat.page.get_by_role("alert")).to_contain_text("Dieser Browser kann die Videos dieser Studie nicht zeigen")
    expect(agree).to_be_disabled()
    expect(seat.page.get_by_role("button", name="Nein, danke")).to_be_enabled()
