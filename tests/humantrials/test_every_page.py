"""Every participants' page of every protocol: on a phone, dark, right-to-left, by keyboard; with axe."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.accessibility import findings
from tests.humantrials.browser_walk import journey

pytestmark = pytest.mark.browser

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True}
COMMON = {"door", "consent", "leave", "instructions", "practice", "practised", "clip", "clip with answers open", "done"}
WITH_SOUND = {"sound", "sound again", "quiz", "quiz again", "break"}
WITHOUT_CLIPS = {"door", "consent", "leave", "instructions", "question", "done"}
OWN = {"practice", "clip", "clip with answers open"}  # pages that a protocol without sound does not share with `walk`


def width_beyond(page: Page) -> int:
    page.wait_for_load_state("load")  # a page without all of its styles is wider
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


# The longest words, and right-to-left; each page in both themes, for any protocol.
@pytest.mark.parametrize(
    ("trial", "language", "scheme", "pages", "looked_at"),
    [
        ("walk", "ar", "light", COMMON, COMMON),
        ("ground", "de", "dark", COMMON, OWN),
        ("parts", "ar", "dark", COMMON, OWN),
        ("pairs", "de", "light", COMMON | WITH_SOUND, OWN | WITH_SOUND),
        ("pairs", "ar", "dark", COMMON | WITH_SOUND, COMMON | WITH_SOUND),
        pytest.param("rated", "ar", "dark", WITHOUT_CLIPS, {"question"}),
        pytest.param("rated", "de", "light", WITHOUT_CLIPS, {"question"}),
        pytest.param("picked", "de", "dark", WITHOUT_CLIPS, {"question"}),
    ],
)
def test_every_page_fits_a_phone_and_axe_finds_nothing(take_seat, trial, language, scheme, pages, looked_at):
    seat, seen, found, known = take_seat(f"phone-{language}", **PHONE, color_scheme=scheme), set(), [], set()
    for name in journey(seat, trial, language):
        seen.add(name)
        assert width_beyond(seat.page) <= 0, f"{name} is wider than a phone"
        assert seat.page.locator("html").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")
        found += [(name, *finding) for finding in (findings(seat.page, known) if name in looked_at else [])]
    assert found == []
    assert seen == pages
    expect(seat.page.locator("[data-code]")).to_have_text(re.compile("^[A-Z0-9]{8}$"))
    assert [complaint for complaint in seat.complaints if "403" not in complaint] == []  # invited people's entry page


def tab_to(page: Page, selector: str) -> None:
    """Press Tab until this element has the focus."""
    for _ in range(40):
        if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} can't be reached by Tab")


def press_by_keyboard(page: Page, selector: str) -> None:
    tab_to(page, selector)
    expect(page.locator(selector).first).to_be_enabled()
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_crafts_answers_and_not_clear_by_keyboard_alone(seat):
    page = seat.page
    page.goto(f"{seat.site.address}/t/parts/?participant=craft-keys&lang=en")
    press_by_keyboard(page, "button[value=yes]")
    press_by_keyboard(page, "main button[type=submit]")
    seat.skip()
    press_by_keyboard(page, ".answers button:first-child")
    press_by_keyboard(page, "main button[type=submit]")
    seat.skip()
    is_count = seat.answers.count() > 3
    page.keyboard.press("4" if is_count else "2")
    expect(page.locator("[data-number]")).to_have_text("Question 2 of 2")
    seat.skip()
    press_by_keyboard(page, "button[value='not clear']")
    assert [row["answer"] for row in seat.judgments()] == ["4" if is_count else "false", "not clear"]
