"""A participant in Chromium, and the site's stored rows about a participant."""

import json
import sqlite3
from urllib.parse import urljoin

from playwright.sync_api import BrowserContext, Page, expect

from humantrials.simulation.browser import PageReader
from tests.humantrials.site import database_of
from tests.site import Site

DARK_PHONE = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
STATE_OF_CLIPS = """() => [document.visibilityState, ...[...document.querySelectorAll("video")].map((video) =>
    ["currentTime", "duration", "paused", "ended", "seeking", "readyState", "networkState", "videoWidth"]
        .map((name) => `${name} ${video[name]}`).concat(video.error?.message || "no error").join(", "))]"""

JUDGMENTS = """
    select answer, seconds, watched, replays, playback, counts from humantrials_judgment
    join humantrials_participant on participant_id = humantrials_participant.id where token = ?
    order by humantrials_judgment.id
"""
# For each answer: the first requests of its clip, the seconds since then, and the claimed share of the clip.
SINCE_FETCH = """
    select count(*) as fetches, (julianday(answer.created_at) - julianday(min(at))) * 86400 as since, watched
    from humantrials_judgment as answer join humantrials_participant as person on person.id = answer.participant_id
    join humantrials_clipfetch as fetch on fetch.participant_id = person.id and fetch.item_id = answer.item_id
    where person.token = ? group by answer.item_id
"""


def rows_of(site: Site, road: str, query: str) -> list[dict]:
    """The query's rows for the token of this address."""
    with sqlite3.connect(database_of(site)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(query, [road.split("/")[4]]).fetchall()]


def judgments_of(site: Site, road: str) -> list[dict]:
    """The stored judgments of the participant at this address."""
    return [row | {"playback": json.loads(row["playback"])} for row in rows_of(site, road, JUDGMENTS)]


class Seat:
    """A participant with a browser, whose console errors are recorded."""

    def __init__(self, site: Site, context: BrowserContext, name: str) -> None:
        self.site, self.context, self.name = site, context, name
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type != "log" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def enter(self, language: str = "en", slug: str = "walk") -> "Seat":
        self.page.goto(self._door(language, slug))
        return self

    def reach_trials(self, language: str = "en", slug: str = "walk") -> "Seat":
        """Go directly to the first clip: earlier forms are posted without their pages, which other tests look at."""
        consent = PageReader(self.context.request.get(self._door(language, slug)).text()).fields
        road = self._post(self._door(language, slug), **consent, choice="yes")
        self._post(road, step="instructions")
        self._post(road, step="practised", answer="yes")
        self._post(road, step="practice")
        self.page.goto(road)
        expect(self.page.locator("[data-questions]")).to_be_attached()
        return self

    def _door(self, language: str, slug: str) -> str:
        return f"{self.site.address}/t/{slug}/?participant={self.name}&lang={language}"

    def _post(self, address: str, **form: str | float | bool) -> str:
        """Send the form; returns the address that it leads to."""
        answer = self.context.request.post(address, form=form, max_redirects=0)
        assert answer.status == 302, answer.text()
        return urljoin(address, answer.headers["location"])

    def press(self, selector: str) -> None:
        """Press what leads to the next page, and wait until that page is loaded."""
        with self.page.expect_navigation():
            self.page.locator(selector).click()

    def press_by_key(self, name: str) -> None:
        """Press the button of this name by Enter, once it is open."""
        button = self.page.get_by_role("button", name=name)
        expect(button).to_be_visible()
        self.page.wait_for_load_state()  # which closes the buttons for a moment
        expect(button).to_be_enabled()
        button.focus()
        self.page.keyboard.press("Enter")

    @property
    def answers(self):
        return self.page.locator(".answers button")

    @property
    def outbox(self):
        return self.page.locator("[data-outbox]")

    @property
    def failure(self):
        return self.page.locator("[data-failure]")

    def watch(self) -> "Seat":
        self.page.wait_for_load_state()  # the script that listens to keys comes after the one that shows the button
        expect(self.page.locator("[data-play]")).to_be_visible()
        self.page.keyboard.press("Space")
        return self.see_the_answers_open()

    def see_the_answers_open(self) -> "Seat":
        """Wait until the first answer may be given; else fail with the clip's state and all words of the page."""
        try:
            expect(self.answers.first).to_be_enabled()
        except AssertionError as error:
            words = self.page.locator("main").inner_text()
            raise AssertionError(f"{self.page.evaluate(STATE_OF_CLIPS)}\n{words}\n{self.complaints}") from error
        return self

    def skip(self) -> "Seat":
        """Open the answers by reporting the clip, for tests of later steps."""
        expect(self.page.locator("[data-play]").first).to_be_visible()
        self.page.locator("[data-trial]").dispatch_event("trial:problem")
        expect(self.answers.first).to_be_enabled()
        return self

    def save(self, key: str = "j", number: int = 1) -> list[dict]:
        """Answer the video of this number by a key; the stored judgments, once it is saved."""
        self.page.keyboard.press(key)
        expect(self.outbox).to_have_text(f"Saved: video {number}")
        return self.judgments()

    def try_again(self) -> None:
        """Press "Try again now", even if the page is sending by itself at this moment and so hides the button."""
        self.page.locator("[data-send]").dispatch_event("click")

    def judgments(self, road: str = "") -> list[dict]:
        """The stored judgments of the participant at this address, or of the current page."""
        return judgments_of(self.site, road or self.page.url)

    def person(self) -> dict:
        """The participant's row for the current page."""
        return self.rows("select * from humantrials_participant where token = ?")[0]

    def checks(self) -> dict:
        """The participant's stored checks."""
        return json.loads(self.person()["checks"])

    def rows(self, query: str, road: str = "") -> list[dict]:
        """The query's rows for the token of this address, or of the current page."""
        return rows_of(self.site, road or self.page.url, query)
