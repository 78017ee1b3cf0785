"""Patterns in Chromium: answers open with the pictures, sequence pictures open in full, choices are buttons."""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.accessibility import findings
from tests.humantrials.browser_participant import DARK_PHONE
from tests.humantrials.test_every_page import width_beyond
from tests.site import wait_for

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("has_script", [True, False])
def test_pictures_are_pressed(take_seat, has_script):
    seat = take_seat(f"pictures-{has_script}", java_script_enabled=has_script, **DARK_PHONE).enter(slug="picked")
    page = seat.page
    seat.press("button[value=yes]")
    seat.press("main form button")
    with seat.context.expect_page() as opened:
        page.locator(".in-a-row a").first.click()
    assert opened.value.url.endswith("/picture")
    if has_script:
        assert width_beyond(page) <= 0
        assert findings(page) == []
    with page.expect_navigation():
        page.get_by_role("img", name="Picture B").click()
    expect(page.get_by_text("Question 2 of")).to_be_visible()
    assert [row["answer"] for row in seat.judgments()] == ["b"]
    if has_script:
        expect(page.get_by_role("button", name="Picture C")).to_be_enabled()
        with page.expect_navigation():
            page.keyboard.press("c")
        assert [row["answer"] for row in seat.judgments()] == ["b", "c"]


def test_answers_open_when_all_pictures_are_shown_and_are_timed_from_then(seat):
    seat.enter(slug="picked")
    page, late = seat.page, []
    seat.press("button[value=yes]")
    page.route("**/2/picture", lambda route: late.append(route))
    page.locator("main form button").click(no_wait_after=True)
    answer = page.get_by_role("button", name="Picture B")
    expect(page.get_by_text("Loading…")).to_be_visible()
    expect(answer).to_be_disabled()
    page.keyboard.press("b")
    late.pop().abort()
    expect(page.get_by_text("A picture did not load")).to_be_visible()
    assert findings(page) == []
    page.get_by_role("button", name="Try again").click()
    expect(answer).to_be_disabled()
    late.pop().continue_()
    expect(answer).to_be_enabled()
    since = page.evaluate("performance.now() / 1000")
    with page.expect_navigation(wait_until="domcontentloaded"):  # a picture of the next page is delayed
        answer.click()
    (given,) = seat.judgments()
    assert given["seconds"] < since
    expect(page.get_by_text("Question 2 of")).to_be_visible()
    wait_for(lambda: late)
    late.pop().abort()
    page.get_by_role("button", name="Answer without it").click()
    expect(answer).to_be_enabled()
    with page.expect_navigation():
        page.keyboard.press("b")
    assert seat.judgments()[1]["playback"]["flags"] == ["problem"]


def double_click(page: Page, gap: int) -> float:
    """Two presses of the mouse at the first answer's place; returns the seconds they took."""
    box = page.locator(".answers button").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    began = time.monotonic()
    page.mouse.up()
    page.wait_for_timeout(gap)
    page.mouse.down()
    page.mouse.up()
    return time.monotonic() - began


@pytest.mark.parametrize(
    ("gap", "has_script"), [(60, True), (120, True), (250, True), (60, False), (120, False)]
)  # milliseconds
def test_a_double_click_answers_one_question(take_seat, gap, has_script):
    seat = take_seat(f"twice-{gap}-{has_script}", java_script_enabled=has_script).reach_trials(slug="twice")
    page = seat.page
    for number in range(1, 4):
        expect(page.get_by_text(f"Question {number} of 3")).to_be_visible()
        seat.see_the_answers_open()
        # Without script no answer counts within 0.5 s of another one; with it a press at once is too early at the end.
        page.wait_for_timeout(400 if has_script else 600)
        if double_click(page, gap) > 0.3:
            break  # the machine is too busy for a double click: two presses, and the second may count
        page.wait_for_load_state("networkidle")
        if has_script and len(seat.judgments()) > number:
            break  # too busy as well: the second press came late enough to be an answer, as the last line asks
        assert len(seat.judgments()) == number
    else:
        expect(page.locator("[data-code]")).to_be_visible()
        # Later than the second press of a double click; a picture may be drawn a moment after its buttons.
        assert not has_script or all(row["seconds"] >= 0.2 for row in seat.judgments())
