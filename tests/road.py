"""Takes part in a trial in a browser; and lets others take part beside it, without one."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from playwright.sync_api import Page

from humantrials.simulation.browser import JSON, Visitor
from humantrials.simulation.participant import Habits, Person

AT_TWICE_THE_SPEED = 5.5  # seconds that clips of ten take at least, else answers don't count

# What a person sees, asked of one whole document: between two questions the next page may come.
SEEN = """() => document.readyState === "complete" && (
  document.querySelector("[data-code]") ? "code" : document.querySelector("form[data-trial]") ? "question" : "page")"""


def take_the_road(page: Page) -> str:
    """Go through the trial like a person; returns the completion code."""
    for _ in range(200):
        seen = page.wait_for_function(SEEN).json_value()
        if seen == "code":
            return page.locator("[data-code]").inner_text()
        if seen == "question":
            watch_and_answer(page)
        else:
            page.locator("main button[type=submit], main a.main").first.click()
        page.wait_for_timeout(400)
    raise AssertionError(f"the road does not end: {page.url} {page.locator('main').inner_text()[:300]}")


def watch_and_answer(page: Page) -> None:
    """Play a clip with the space bar, check that it must be watched to the end, and answer with J."""
    question = page.locator("form[data-trial] input[name=position]").input_value()
    button = page.locator("form[data-trial] button[name=answer]").first
    assert button.is_disabled()
    page.keyboard.press("Space")
    page.wait_for_function("() => !document.querySelector('form[data-trial] button[name=answer]').disabled")
    page.keyboard.press("j")
    page.wait_for_function(
        """(before) => { const form = document.querySelector("form[data-trial]");
        return !form || form.elements.position.value !== before || form.elements.answer?.[0]?.disabled; }""",
        arg=question,
    )


class Watcher(Person):
    """Somebody who loads each clip whole and answers when it has been seen, as answers only then count."""

    external_id = property(lambda self: f"watcher-{self.number}")

    def _look(self, visitor: Visitor, position: int) -> None:
        visitor.get(f"{self.step_path}m/{position}")
        time.sleep(AT_TWICE_THE_SPEED)

    def _send(self, visitor: Visitor, position: int, answer: dict[str, str]) -> None:
        fields = {"position": str(position), **answer, "seconds": "0.500", "watched": "1.000"}
        visitor.post(f"{self.step_path}answer/", fields, JSON)


@contextmanager
def others_take_part(address: str, slug: str, many: int = 4) -> Iterator[None]:
    """So many people take part meanwhile, all at once: what is asked of a browser is asked of one person's."""
    people = [Watcher(number, 1, Habits()) for number in range(many)]
    with ThreadPoolExecutor(many) as threads:
        done = [threads.submit(one.take_part, Visitor(address), slug, lambda token: {}) for one in people]
        yield
        for one in done:
            one.result()
    assert [one.outcome for one in people] == ["finished"] * many
