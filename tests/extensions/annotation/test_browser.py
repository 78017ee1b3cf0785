"""The first stage in Chromium: a box drawn, moved and named by keyboard only; axe, a phone, right-to-left."""

import json

import pytest
from playwright.sync_api import Page, expect

from tests.accessibility import findings
from tests.humantrials.browser_participant import Seat
from tests.humantrials.browser_walk import digits_of, press
from tests.humantrials.test_every_page import press_by_keyboard, tab_to, width_beyond

pytestmark = pytest.mark.browser
EDGES = ("left", "top", "width", "height")
SEND = "[data-send]"


def reach_work(seat: Seat, language: str) -> Page:
    page = seat.page
    page.goto(f"{seat.site.address}/t/{seat.name}/?participant={seat.name}&lang={language}")
    press(page)
    for side, digits in digits_of(seat).items():
        page.locator(f"#{side}").fill(digits)
    press(page)
    press(page)
    expect(page.locator("[data-keys]")).to_be_visible()
    return page


def box_of(page: Page) -> list[int]:
    return [int(page.locator(f"[name={edge}]").input_value()) for edge in EDGES]


def test_a_box_is_drawn_moved_and_named_by_keyboard_alone(site, browser):
    seat = Seat(site, browser.new_context(viewport={"width": 1280, "height": 860}), "box-keys")
    page = reach_work(seat, "en")
    tab_to(page, "[data-keys]")
    page.keyboard.press("Enter")
    left, top, width, height = box_of(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    assert box_of(page) == [left + 8, top, width, height + 8]
    for _ in range(100):
        page.keyboard.press("ArrowLeft")
    assert box_of(page)[0] == 0  # a box stays within the picture
    expect(page.locator("[data-rectangle]")).to_have_attribute("x", "0")
    expect(page.locator("[data-announced]")).to_contain_text("left 0")
    tab_to(page, "[name=name]")
    page.keyboard.type("a mug")
    press_by_keyboard(page, SEND)
    expect(page.locator("h1")).to_contain_text("from the picture alone")
    (row,) = seat.rows("""select content from annotation_taskanswer join humantrials_participant
                          on participant_id = humantrials_participant.id where token = ?""")
    assert json.loads(row["content"])["box"]["name"] == "a mug"
    assert seat.complaints == []
    seat.context.close()


def test_the_parts_of_a_clip_fit_a_phone_from_right_to_left_and_axe_finds_nothing(site, browser):
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark")
    seat = Seat(site, context, "box-phone")
    page = reach_work(seat, "ar")
    press(page, SEND)  # without a box: the page returns with an error
    expect(page.locator(".error")).to_have_count(2)
    assert (findings(page), width_beyond(page)) == ([], 0)
    page.locator("[data-keys]").press("Enter")
    page.locator("[name=name]").fill("كوب")
    press(page, SEND)
    page.locator("[name=materials]").first.check()
    page.locator("[name=confidence]").first.check()
    assert (findings(page), width_beyond(page)) == ([], 0)
    press(page, SEND)
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator(SEND)).to_be_disabled()  # before the clip was watched
    assert (findings(page), width_beyond(page)) == ([], 0)
    context.close()
