"""Takes part in a trial in a browser."""

from playwright.sync_api import Page

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
