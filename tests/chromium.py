"""Opens Chromium for the tests, with long timeouts because the machine may be busy."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

# The shell is Chromium without a window: a page costs about half the processor time. Both are Debian packages. Only the
# full browser has features that are switched on by name, such as blocked third-party cookies.
WHOLE = "/usr/bin/chromium"
PATH = shutil.which("chromium-headless-shell") or WHOLE
# Without a graphics card, Chromium would imitate one: a tenth of its processor time. Compiling scripts beside the page
# costs another twelfth, and compiling them better a fourth of what axe takes: no page is open long enough to regain it.
SCRIPTS = "--js-flags=--single-threaded --no-opt --no-maglev"
SWITCHES = ("--no-sandbox", "--disable-background-networking", "--disable-gpu", SCRIPTS)
PATIENCE = 90_000  # milliseconds: timeout of actions and expectations


class SharedChromium:
    """A browser for all tests of a session that need one: its start takes a second of a processor.

    Playwright's event loop runs in this thread as long as the browser is open; Django and asyncio, which would refuse
    the thread, see it only while the browser is lent.
    """

    def __init__(self, until_the_end: ExitStack) -> None:
        self.until_the_end = until_the_end
        self.browser: Browser | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    @contextmanager
    def lent(self) -> Iterator[Browser]:
        if self.browser and self.browser.is_connected():
            asyncio._set_running_loop(self.loop)
        else:
            self.browser = self.until_the_end.enter_context(_started())
            self.loop = asyncio.get_running_loop()
            self.until_the_end.callback(asyncio._set_running_loop, self.loop)  # called before the browser is closed
        with _database_in_a_loop():
            yield self.browser
        for context in self.browser.contexts:
            context.close()
        asyncio._set_running_loop(None)


@contextmanager
def open_chromium(*switches: str) -> Iterator[Browser]:
    """A browser of one's own, closed at the end."""
    with _database_in_a_loop(), _started(*switches) as browser:
        yield browser


@contextmanager
def _database_in_a_loop() -> Iterator[None]:
    """Django would refuse the database to a thread in which Playwright's event loop runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        yield


@contextmanager
def _started(*switches: str) -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as play:
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
