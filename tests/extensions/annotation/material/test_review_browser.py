"""The review of a material's clips in a browser: with keys only, on a phone, in the dark theme, without JavaScript."""

import pytest
from playwright.sync_api import expect

from extensions.annotation.material.review import clips_of
from tests.accessibility import findings

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]


@pytest.fixture
def opened(chromium, live_server, staff, reviewed):
    """Opens a page as a member of staff; a console error fails the test."""
    contexts, said = [], []

    def open_page(address="/material/wood/", width=1280, theme="light", **options):
        contexts.append(chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, **options))
        cookie = {"name": "sessionid", "value": staff.cookies["sessionid"].value, "url": live_server.url}
        contexts[-1].add_cookies([cookie])
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(live_server.url + address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in said if "400 (Bad Request)" not in text] == []  # how a refused decision is answered


def test_the_pages_have_no_finding_and_no_sideways_scroll(opened, live_server):
    page = opened("/material/")
    for address in ("/material/", "/material/wood/", "/material/wood/pack/", "/material/wood/discard/"):
        page.goto(live_server.url + address)
        for width, theme in ((1280, "light"), (360, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            assert findings(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_clips_are_decided_by_keys_alone(opened, reviewed):
    page = opened()
    first = page.locator(".clip").first
    page.keyboard.press("j")
    page.keyboard.press("d")
    page.keyboard.type("blurry")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(first.locator(".decided")).to_have_text("Dropped by a person: blurry or artefacts")
    assert not clips_of(reviewed)[0].is_kept
    expect(first).to_be_focused()
    expect(page.locator("#material-counts")).to_contain_text("Kept1")  # without a reload
    expect(page.locator("#material-views")).to_contain_text("kept (1)")
    expect(page.get_by_role("link", name="Make the pack of 1 clip")).to_be_visible()
    page.keyboard.press("u")
    expect(first.locator(".decided")).to_have_text("Kept by the rules")


def test_dropping_without_a_reason_asks_for_one(opened):
    page = opened()
    first = page.locator(".clip").first
    first.get_by_role("button", name="Drop").click()
    expect(first.get_by_role("alert")).to_contain_text("say why it is dropped")
    expect(first.get_by_label("Why drop it")).to_be_focused()


def test_a_clip_is_kept_without_a_script(opened):
    page = opened(java_script_enabled=False)
    talks = page.locator(".clip").last
    talks.get_by_role("button", name="Keep").click()
    expect(page.locator(".clip").last.locator(".decided")).to_have_text("Kept by a person")


def test_after_an_upload_keys_and_the_live_part_still_work(opened, reviewed, videos):
    page = opened()
    page.get_by_label("Videos").set_input_files(videos / "silent.mp4")
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".messages")).to_contain_text("1 file has arrived")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator(".clip").first.locator(".decided")).to_have_text("Kept by a person")
    reviewed.files.filter(name="silent.mp4").update(state="refused", problem="silent.mp4: too quiet")
    page.evaluate("document.activeElement.blur()")
    expect(page.locator("strong.wrong")).to_have_text("silent.mp4: too quiet")
