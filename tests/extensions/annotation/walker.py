"""An annotator in Chromium who completes each page, and a member of staff; both record their times."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from humantrials.models import Participant
from humantrials.participation.screening import SIDES, digits_for
from tests.extensions.annotation.drawing import Canvas
from tests.humantrials.browser_walk import BUTTON

DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 860}}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
QUESTIONS = (
    ("Which object would dent a table more if it fell?", "hardness"),
    ("Which object would a gust of wind blow off a table first?", "weight"),
    ("Which object would be easier to hold with wet hands?", "texture"),
)
KIND = """() => {
  const form = document.querySelector('form[data-work]');
  if (!form) return document.querySelector('[data-code]') ? 'code' : '';
  if (form.matches('[data-box]')) return 'box';
  if (form.elements.confidence) return 'materials';
  return form.querySelector('[name=text-0]') ? 'questions' : 'lines';
}"""
# All videos of the page at once, without their sound.
WATCH = """() => Promise.all([...document.querySelectorAll('[data-watch]')].map((film) => new Promise((done, lost) => {
  film.addEventListener('ended', done, { once: true });
  film.addEventListener('error', () => lost(film.error.message), { once: true });
  film.muted = true;
  film.play();
})))"""


@dataclass
class Times:
    """Seconds that each step took, in the order of the steps."""

    seconds: list[tuple[str, float]] = field(default_factory=list)

    @contextmanager
    def of(self, step: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds.append((step, time.monotonic() - began))

    def __str__(self) -> str:
        return "\n".join(f"{seconds:7.1f} s  {step}" for step, seconds in self.seconds)


class Browsing:
    """A page with recorded console errors."""

    def __init__(self, browser: Browser, address: str, shape: dict[str, Any]) -> None:
        self.address, self.width = address, shape["viewport"]["width"]
        self.context = browser.new_context(**shape)
        self.page: Page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def go(self, path: str) -> None:
        self.page.goto(self.address + path)
        self.fits()

    def fits(self) -> None:
        """The page does not scroll sideways; SHOTS=FOLDER keeps a picture of each."""
        if folder := os.environ.get("SHOTS"):
            name = (
                f"{self.width}-{time.monotonic():.0f}-{self.page.url.split('?')[0].strip('/').replace('/', '-')[-60:]}"
            )
            self.page.screenshot(path=f"{folder}/{name}.png", full_page=True)
        assert self.page.evaluate("document.documentElement.scrollWidth") <= self.width, self.page.url


class Staff(Browsing):
    """A member of staff, who follows links and presses buttons by their words."""

    def __init__(self, browser: Browser, address: str, session: str) -> None:
        super().__init__(browser, address, DESKTOP)
        self.context.add_cookies([{"name": "sessionid", "value": session, "url": address}])

    def follow(self, words: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("link", name=words).first.click()
        self.fits()

    def press(self, words: str) -> None:
        with self.page.expect_navigation():
            self.page.get_by_role("button", name=words, exact=True).first.click()
        self.fits()

    def desk(self, name: str, slug: str) -> Page:
        self.go(reverse(name, args=[slug]))
        return self.page


class Annotator(Browsing):
    """An annotator who always chooses the first object, except in one line if `contrary`."""

    contrary = False

    def enter(self, slug: str, name: str) -> "Annotator":
        """Go to the first task: consent, sound check, instructions."""
        self.go(f"/t/{slug}/?participant={name}")
        self.send(BUTTON)
        for side in SIDES:
            self.page.locator(f"#{side}").fill(digits_for(self.person, side))
        self.send(BUTTON)
        self.send(BUTTON)
        return self

    @property
    def person(self) -> Participant:
        return Participant.objects.get(token=self.page.url.split("/")[4])

    @property
    def kind(self) -> str:
        return str(self.page.evaluate(KIND))

    def work(self) -> int:
        """Complete pages until there is a code; returns their number."""
        done = 0
        while self.kind != "code":
            getattr(self, f"_{self.kind}")()
            self.send("[data-send]")
            done += 1
        return done

    def come_back(self) -> "Annotator":
        """Open the same address again, and take another sheet if it is offered."""
        self.page.reload()
        another = self.page.get_by_role("button", name="Take another sheet")
        if another.count():
            self.send(another)
            self.send(BUTTON)  # the instructions of another stage
        return self

    def send(self, what: Any) -> None:
        button = self.page.locator(what).first if isinstance(what, str) else what
        expect(button).to_be_enabled()
        with self.page.expect_navigation():
            button.tap() if self.width == PHONE["viewport"]["width"] else button.click()
        self.fits()

    def _box(self) -> None:
        view = self.page.locator("[data-canvas] svg").evaluate(
            "(one) => [one.viewBox.baseVal.width, one.viewBox.baseVal.height]"
        )
        canvas = Canvas(self.page, *view)
        draw = canvas.touch if self.width == PHONE["viewport"]["width"] else canvas.drag
        draw((0.2, 0.2), (0.7, 0.8))
        self.page.locator("[name=name]").fill("a mug")

    def _materials(self) -> None:
        is_heard = bool(self.page.locator("video[data-watch]").count())
        self.page.evaluate(WATCH)
        self.page.locator("[name=materials][value=wood]").check()
        self.page.locator(f"[name=confidence][value='{4 if is_heard else 2}']").check()

    def _questions(self) -> None:
        self.page.evaluate(WATCH)
        for place in range(self.page.locator(".question-block").count()):
            text, own = QUESTIONS[place]
            self.page.locator(f"[name=text-{place}]").fill(text)
            self.page.locator(f"[name=answer-{place}][value='0']").check()
            self.page.locator(f"[name=other-{place}]").fill(own)

    def _lines(self) -> None:
        self.page.evaluate(WATCH)
        for line in self.page.locator(".lines > li").all():
            asked = line.locator("legend").inner_text()
            side = "1" if "select both ‘Object 2’" in asked or self.contrary else "0"
            line.locator(f"input[type=radio][value='{side}']").check()
            if "select both" in asked:
                line.locator("input[type=checkbox]").check()
            else:
                self.contrary = False
            if line.locator("textarea").count():
                line.locator("textarea").fill("The first one is much heavier than the second.")
