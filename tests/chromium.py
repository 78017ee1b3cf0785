"""Opens Chromium for the tests, with long timeouts because the machine may be busy."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

# The shell is Chromium without a window: a page costs about half the processor time. Both are Debian packages. Only the
# full browser has features that are switched on by name, such as blocked third-party cookies.
WHOLE = "/usr/bin/chromium"
PATH = shutil.which("chromium-headless-shell") or WHOLE
# Without a graphics card, Chromium would imitate one: a tenth of its processor time. Compiling scripts beside the page
# costs another twelfth.
SWITCHES = ("--no-sandbox", "--disable-background-networking", "--disable-gpu", "--js-flags=--single-threaded")
PATIENCE = 90_000  # milliseconds: timeout of actions and expectations


@contextmanager
def open_chromium(*switches: str) -> Iterator[Browser]:
    """A browser, closed at the end. Playwright's event loop in this thread would make Django refuse the database."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as play:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        expect.set_options(timeout=PATIENCE)
        browser = play.chromium.launch(executable_path=WHOLE if switches else PATH, args=[*SWITCHES, *switches])
        _be_patient(browser, patch)
        yield browser
        browser.close()


def _be_patient(browser: Browser, patch: pytest.MonkeyPatch) -> None:
    new_context, new_page = browser.new_context, browser.new_page

    def patient_context(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.set_default_timeout(PATIENCE)
        return context

    def patient_page(**options: Any) -> Page:
        page = new_page(**options)
        page.set_default_timeout(PATIENCE)
        return page

    patch.setattr(browser, "new_context", patient_context)
    patch.setattr(browser, "new_page", patient_page)
