"""An author's break in Chromium, on a phone in the dark theme: counted down, ended by a press."""

import pytest
from playwright.sync_api import expect

from tests.accessibility import findings
from tests.humantrials.browser_participant import Seat
from tests.humantrials.test_every_page import press_by_keyboard, width_beyond

pytestmark = pytest.mark.browser


def test_a_break_is_counted_down_and_ended_by_keyboard(site, browser):
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark")
    seat = Seat(site, context, "rests").reach_trials(slug="rests")
    with seat.page.expect_navigation():
        seat.skip().page.keyboard.press("j")
    go_on = seat.page.get_by_role("button", name="Go on")
    expect(go_on).to_be_disabled()
    assert width_beyond(seat.page) <= 0
    assert findings(seat.page) == []
    expect(go_on).to_be_enabled()
    press_by_keyboard(seat.page, "main button[type=submit]")
    expect(seat.page.locator("[data-number]")).to_have_text("Video 2 of 3")
    assert len(seat.checks()["breaks"]) == 1
    assert seat.complaints == []
    context.close()
