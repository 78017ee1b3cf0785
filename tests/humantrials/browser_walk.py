"""All participants' pages of a trial in Chromium, in order, for any protocol."""

import hashlib
import hmac
import sqlite3
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from humantrials.participation.screening import SIDES
from humantrials.protocols import PROTOCOLS
from tests.humantrials.browser_participant import Seat
from tests.humantrials.site import database_of
from tests.site import wait_for

BUTTON = "main form button[type=submit]:not([name=choice][value=no])"


def journey(seat: Seat, slug: str, language: str) -> Iterator[str]:
    """Yield the name of each page while it is open, and then go to the next one."""
    page = seat.page
    page.goto(f"{seat.site.address}/t/{slug}/?lang={language}")
    yield "door"
    page.goto(f"{seat.site.address}/t/{slug}/?participant={seat.name}&lang={language}")
    while step := step_of(page):
        yield from PAGES[step](seat)
    yield "done"


def step_of(page: Page) -> str:
    """The page's step; '' on the last page."""
    page.wait_for_load_state("load")
    if page.locator("[data-questions]").count():
        return "clips"
    field = page.locator("main input[name=step]").first
    step = field.get_attribute("value") or "" if field.count() else ""
    return step if step in PAGES else ""


def press(page: Page, selector: str = BUTTON) -> None:
    with page.expect_navigation():
        page.locator(selector).first.click()


def on_a_page_to_read(name: str):
    def pages(seat: Seat) -> Iterator[str]:
        yield name
        press(seat.page)

    return pages


def on_consent(seat: Seat) -> Iterator[str]:
    yield "consent"
    press(seat.page)
    address = seat.page.url
    seat.page.goto(f"{address}leave/")
    yield "leave"
    seat.page.goto(address)


def on_sound(seat: Seat) -> Iterator[str]:
    yield "sound"
    for name, digits in (("sound again", "000"), ("", None)):
        right = digits_of(seat)
        for side in SIDES:
            seat.page.locator(f"#{side}").fill(digits or right[side])
        press(seat.page)
        if name:
            yield name


def on_quiz(seat: Seat) -> Iterator[str]:
    yield "quiz"
    quiz = PROTOCOLS[protocol_of(seat)].screening.quiz
    for name in ("quiz again", ""):
        for number, question in enumerate(quiz):
            wrong = next(option.value for option in question.options if option.value != question.right)
            value = wrong if name and number == 0 else question.right
            seat.page.locator(f"input[name=q{number}][value='{value}']").check()
        press(seat.page)
        if name:
            yield name


def on_practice(seat: Seat) -> Iterator[str]:
    yield "practice"
    seat.skip()
    press(seat.page, ".answers button")
    yield "practised"
    press(seat.page)


def on_clips(seat: Seat) -> Iterator[str]:
    """Yield pages of clips or, without clips, a page for each question."""
    if seat.page.locator("[data-rate]").count():
        yield "question"
        while seat.page.locator("[data-rate]").count():
            press(seat.page, "[data-rate] button[name=answer]")
        return
    number = seat.page.locator("[data-questions] > li").count()
    yield "clip"
    seat.skip()
    yield "clip with answers open"
    for left in range(number - 1, -1, -1):
        if left:
            seat.answers.first.click()
            expect(seat.answers.first).to_be_disabled()
            seat.skip()
        else:
            press(seat.page, ".answers button")


PAGES = {
    "consent": on_consent,
    "sound": on_sound,
    "instructions": on_a_page_to_read("instructions"),
    "quiz": on_quiz,
    "practised": on_practice,
    "clips": on_clips,
    "break": on_a_page_to_read("break"),
}


def protocol_of(seat: Seat) -> str:
    (row,) = seat.rows(
        """select protocol from humantrials_trial join humantrials_participant
           on trial_id = humantrials_trial.id where token = ?"""
    )
    return row["protocol"]


def digits_of(seat: Seat) -> dict[str, str]:
    """The current digits of the sound check, from the site's own key."""

    def key() -> bytes | None:
        with sqlite3.connect(database_of(seat.site)) as database:
            row = database.execute("select secret from benchmarks_key where name = 'sound'").fetchone()
        return row and row[0]

    secret, person = wait_for(key), seat.person()
    tried = seat.checks().get("sound", 0)
    said = {}
    for side in SIDES:
        message = f"{person['token']}/{tried}/{side}".encode()
        said[side] = "".join(str(byte % 10) for byte in hmac.new(secret, message, hashlib.sha256).digest()[:3])
    return said
