"""Follow-up questions and breaks in Chromium: by keyboard, on a phone, without network, without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from tests.accessibility import Finding, findings
from tests.humantrials.browser_participant import DARK_PHONE, Seat
from tests.humantrials.test_every_page import press_by_keyboard, tab_to, width_beyond
from tests.site import wait_for

pytestmark = pytest.mark.browser
CODE = re.compile("^[A-Z0-9]{8}$")
SAID = """
    select position, confidence, why, seconds from humantrials_followup
    join humantrials_participant as person on person.id = participant_id where token = ? order by position
"""


def faults(seat: Seat) -> list[Finding]:
    assert width_beyond(seat.page) <= 0
    return findings(seat.page)


def test_each_answer_is_followed_by_keyboard_on_a_phone(take_seat):
    seat = take_seat("sure-keys", **DARK_PHONE).reach_trials(slug="sure")
    page, panel, reason = seat.page, seat.page.locator("[data-follow-up]"), seat.page.locator("textarea")
    for number in range(1, 4):
        expect(page.locator("[data-number]")).to_have_text(f"Video {number} of 3")
        seat.skip().page.keyboard.press("j")
        expect(panel).to_be_visible()
        expect(page.locator("[data-trial]")).to_be_hidden()
        wait_for(lambda number=number: len(seat.judgments()) == number)  # before any other answer
        assert faults(seat) == []
        if number == 1:
            page.locator("[data-heading]").press("j")  # the hidden form ignores keys
            page.reload()
            assert faults(seat) == []
            expect(page.get_by_text("You answered:")).to_be_visible()
        if reason.is_visible():
            tab_to(page, "textarea")
            page.keyboard.type("1 ball, 2 walls")
            expect(reason).to_have_value("1 ball, 2 walls")
            tab_to(page, "button[name=confidence]")
        page.wait_for_load_state()
        expect(page.locator("button[name=confidence]").first).to_be_enabled()
        page.keyboard.press("4")
    expect(page.locator("[data-code]")).to_have_text(CODE)
    said = seat.rows(SAID)
    assert [row["confidence"] for row in said] == [4, 4, 4]
    assert sorted(str(row["why"]) for row in said) == ["1 ball, 2 walls", "None", "None"]
    assert all(0 < row["seconds"] < 60 for row in said)
    assert (len(seat.judgments()), seat.person()["state"]) == (3, "finished")
    assert seat.complaints == []


def test_what_was_said_without_network_arrives_after_its_answer(seat):
    seat.reach_trials(slug="sure").page.route("**/p/*/*/", lambda route: route.abort())
    for number in range(1, 3):
        expect(seat.page.locator("[data-number]")).to_have_text(f"Video {number} of 3")
        seat.skip().page.keyboard.press("j")
        seat.page.locator("button[name=confidence][value='2']").click()
    expect(seat.outbox).to_have_text("Not saved yet. We keep trying.")
    assert seat.judgments() == seat.rows(SAID) == []
    seat.page.unroute("**/p/*/*/")
    seat.try_again()
    wait_for(lambda: len(seat.rows(SAID)) == 2)
    assert [row["confidence"] for row in seat.rows(SAID)] == [2, 2]
    assert len(seat.judgments()) == 2


def test_a_break_is_counted_down_and_ended_by_keyboard(take_seat):
    seat = take_seat("rests", **DARK_PHONE).reach_trials(slug="rests")
    with seat.page.expect_navigation():
        seat.skip().page.keyboard.press("j")
    go_on = seat.page.get_by_role("button", name="Go on")
    expect(go_on).to_be_disabled()
    assert faults(seat) == []
    expect(go_on).to_be_enabled()
    press_by_keyboard(seat.page, "main button[type=submit]")
    expect(seat.page.locator("[data-number]")).to_have_text("Video 2 of 3")
    assert len(seat.checks()["breaks"]) == 1
    assert seat.complaints == []
