"""Patterns in Chromium: a picture of the row opens in full, a picture to choose from is its answer."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.humantrials.browser_participant import Seat
from tests.humantrials.test_every_page import width_beyond

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("has_script", [True, False])
def test_pictures_are_pressed(site, browser, has_script):
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, color_scheme="dark", java_script_enabled=has_script
    )
    seat = Seat(site, context, f"pictures-{has_script}").enter(slug="picked")
    page = seat.page
    page.locator("button[value=yes]").click()
    page.locator("main form button").click()
    with context.expect_page() as opened:
        page.locator(".in-a-row a").first.click()
    assert opened.value.url.endswith("/picture")
    if has_script:
        assert width_beyond(page) <= 0
        assert Axe().run(page).response["violations"] == []
    with page.expect_navigation():
        page.get_by_role("img", name="Picture B").click()
    expect(page.get_by_text("Question 2 of")).to_be_visible()
    assert [row["answer"] for row in seat.judgments()] == ["b"]
    if has_script:
        with page.expect_navigation():
            page.keyboard.press("c")
        assert [row["answer"] for row in seat.judgments()] == ["b", "c"]
    context.close()
