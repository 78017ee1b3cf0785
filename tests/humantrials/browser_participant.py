"""A participant in Chromium, and the site's stored rows about them."""

import json
import sqlite3

from playwright.sync_api import BrowserContext, Page, expect

from tests.humantrials.site import database_of
from tests.site import Site


class Seat:
    """A participant with a browser, whose console errors are recorded."""

    def __init__(self, site: Site, context: BrowserContext, name: str) -> None:
        self.site, self.context, self.name = site, context, name
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type != "log" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def enter(self, language: str = "en", slug: str = "walk") -> "Seat":
        self.page.goto(f"{self.site.address}/t/{slug}/?participant={self.name}&lang={language}")
        return self

    def reach_trials(self, language: str = "en", slug: str = "walk") -> "Seat":
        """Go directly to the first clip with the form posts of a page without JavaScript."""
        self.enter(language, slug)
        self.press("button[value=yes]")
        self.press("main form button")
        expect(self.page.locator("[data-trial]")).to_be_visible()
        for step in ("practised", "practice"):
            self.context.request.post(self.page.url, form={"step": step, "answer": "yes"})
        self.page.reload()
        expect(self.page.locator("[data-questions]")).to_be_attached()
        return self

    def press(self, selector: str) -> None:
        """Press what leads to the next page, and wait until that page is loaded."""
        with self.page.expect_navigation():
            self.page.locator(selector).click()

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
        expect(self.page.locator("[data-play]")).to_be_visible()
        self.page.keyboard.press("Space")
        expect(self.answers.first).to_be_enabled()
        return self

    def skip(self) -> "Seat":
        """Open the answers by reporting the clip, for tests of later steps."""
        expect(self.page.locator("[data-play]").first).to_be_visible()
        self.page.locator("[data-trial]").dispatch_event("trial:problem")
        expect(self.answers.first).to_be_enabled()
        return self

    def try_again(self) -> None:
        """Press "Try again now", even if the page is sending by itself at this moment and so hides the button."""
        self.page.locator("[data-send]").dispatch_event("click")

    def judgments(self, road: str = "") -> list[dict]:
        """The stored judgments of the participant at this address, or of the current page."""
        query = """select answer, seconds, watched, replays, playback, counts from humantrials_judgment
                   join humantrials_participant on participant_id = humantrials_participant.id where token = ?
                   order by humantrials_judgment.id"""
        return [row | {"playback": json.loads(row["playback"])} for row in self.rows(query, road)]

    def person(self) -> dict:
        """The participant's row for the current page."""
        return self.rows("select * from humantrials_participant where token = ?")[0]

    def checks(self) -> dict:
        """The participant's stored checks."""
        return json.loads(self.person()["checks"])

    def rows(self, query: str, road: str = "") -> list[dict]:
        """The query's rows for the token of this address, or of the current page."""
        token = (road or self.page.url).split("/")[4]
        with sqlite3.connect(database_of(self.site)) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(query, [token]).fetchall()]
