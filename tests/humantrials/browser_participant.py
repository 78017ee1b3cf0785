"""Somebody in front of Chromium, and what the site has stored for them."""

import json
import sqlite3

from playwright.sync_api import BrowserContext, Page, expect

from tests.humantrials.site import database_of
from tests.site import Site


class Seat:
    """Somebody in front of a browser; what its console complains about is kept."""

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
        """Straight to the first clip, by the same presses that a form without script sends."""
        self.enter(language, slug)
        self.page.locator("button[value=yes]").click()
        self.page.locator("main form button").click()
        expect(self.page.locator("[data-trial]")).to_be_visible()
        for step in ("practised", "practice"):
            self.context.request.post(self.page.url, form={"step": step, "answer": "yes"})
        self.page.reload()
        expect(self.page.locator("[data-questions]")).to_be_attached()
        return self

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
        """Open the answers as somebody does who reports the clip: for tests that are about what comes after."""
        expect(self.page.locator("[data-play]").first).to_be_visible()
        self.page.locator("[data-trial]").dispatch_event("trial:problem")
        expect(self.answers.first).to_be_enabled()
        return self

    def judgments(self, road: str = "") -> list[dict]:
        """What the site has stored for the person of this road, or of the page in view."""
        query = """select answer, seconds, watched, replays, playback, counts from humantrials_judgment
                   join humantrials_participant on participant_id = humantrials_participant.id where token = ?
                   order by humantrials_judgment.id"""
        return [row | {"playback": json.loads(row["playback"])} for row in self.rows(query, road)]

    def person(self) -> dict:
        """The row of the person of the page in view."""
        return self.rows("select * from humantrials_participant where token = ?")[0]

    def checks(self) -> dict:
        """What is noted of their attempts."""
        return json.loads(self.person()["checks"])

    def rows(self, query: str, road: str = "") -> list[dict]:
        """What this query finds for the token of the road, or of the page in view."""
        token = (road or self.page.url).split("/")[4]
        with sqlite3.connect(database_of(self.site)) as database:
            database.row_factory = sqlite3.Row
            return [dict(row) for row in database.execute(query, [token]).fetchall()]
