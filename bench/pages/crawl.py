"""Crawls every public page and checks: answered, no axe finding, no wider than the window, no console error.

`python -m bench.pages.crawl` starts a site on the current data folder (run `make demo` first), `python -m
bench.pages.crawl URL` checks a running one. For each route and benchmark the first URL with each set of parameters is
followed; the first of all is checked at 1280 and 360 px in both themes, and must show as much text without JavaScript.
Prints one JSON line; exit 1 if there are faults.
"""

import json
import os
import re
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Literal
from urllib.error import HTTPError
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django  # noqa: E402

django.setup()

from axe_playwright_python.sync_playwright import Axe  # noqa: E402
from django.urls import Resolver404, resolve  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from benchsite.supervisor.serve import free_port, start_services, stop_all, wait_until_it_answers  # noqa: E402

Key = tuple[str, ...]
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
LOOKS: list[tuple[int, Theme]] = [(width, theme) for width in (1280, 360) for theme in THEMES]
NOT_FOLLOWED = {
    "road",
    "trial-entry",
    "media",
    "account_logout",
    "choose-language",
}  # participation pages have their own test
MISSING = "/no-such-page/"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
TEXT_LENGTH = "document.querySelector('main')?.innerText.replace(/\\s+/g, ' ').length ?? 0"
LINK = re.compile(r'\shref="([^"]+)"')


@dataclass
class Found:
    """Counts of what was checked, and the faults."""

    answered: int = 0
    pages: int = 0
    looks: int = 0
    faults: list[str] = field(default_factory=list)


def key_of(address: str) -> Key | None:
    """Key of a page: route, benchmark and names of its parameters; None if the page is not checked."""
    parts = urlsplit(address)
    try:
        match = resolve(parts.path)
    except Resolver404:
        return None
    parameters = dict(parse_qsl(parts.query))
    if match.url_name in NOT_FOLLOWED or parts.path.startswith(("/admin", "/static")) or "format" in parameters:
        return None
    return (str(match.url_name), match.kwargs.get("slug", ""), match.kwargs.get("name", ""), *sorted(parameters))


def one_each(pages: dict[Key, str]) -> list[str]:
    """The first URL of each route, benchmark and name, whatever its parameters."""
    return list({key[:3]: path for key, path in reversed(pages.items())}.values())[::-1]


def pages_of(base: str, faults: list[str]) -> dict[Key, str]:
    """Key -> URL of an HTML page, breadth first; error responses are added to the faults."""
    found: dict[Key, str] = {}
    waiting, seen = deque(["/"]), {"/"}
    while waiting:
        path = waiting.popleft()
        try:
            with urlopen(base + path, timeout=60) as answer:
                if "html" not in answer.headers["Content-Type"]:
                    continue
                text = answer.read().decode()
        except HTTPError as error:
            faults.append(f"{path} answers {error.code}")
            continue
        found[key_of(path) or ("",)] = path
        say(f"{len(found)} addresses answered, {len(waiting)} wait")
        for link in LINK.findall(text):
            target = urldefrag(urljoin(base + path, unescape(link)))[0].removeprefix(base)
            key = key_of(target) if target.startswith("/") else None
            if key and key not in found and str(key) not in seen:
                seen.add(str(key))
                waiting.append(target)
    return found


def look(browser: Browser, base: str, path: str, found: Found) -> None:
    """Check one page at every size and theme, and once without JavaScript."""
    found.pages += 1
    reported = 0
    for width, theme in LOOKS:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
        complaints = listened_to(page)
        page.goto(base + path)
        faults = [f"axe {one['id']}: {one['nodes'][0]['html']}" for one in Axe().run(page).response["violations"]]
        faults += [f"{beyond} px wider than the window"] if (beyond := page.evaluate(TOO_WIDE)) > 0 else []
        faults += complaints if path != MISSING else []
        found.faults += [f"{path} at {width} {theme}: {fault[:200]}" for fault in faults]
        found.looks += 1
        reported = page.evaluate(TEXT_LENGTH)
        page.close()
    page = browser.new_page(java_script_enabled=False)
    page.goto(base + path)
    plain = len(re.sub(r"\s+", " ", page.locator("main").inner_text()))
    if plain < 0.9 * reported:
        found.faults.append(f"{path}: says {plain} characters without JavaScript, {reported} with it")
    page.close()


def listened_to(page: Page) -> list[str]:
    """A list to which the page's console errors are appended."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def say(where: str) -> None:
    """Print progress: hundreds of pages in four looks take a while."""
    print(where, file=sys.stderr, flush=True)


@contextmanager
def site() -> Iterator[str]:
    port = free_port("127.0.0.1")
    keepers, _ = start_services(host="127.0.0.1", port=port)
    try:
        wait_until_it_answers("127.0.0.1", port, keepers)
        yield f"http://localhost:{port}"
    finally:
        stop_all(keepers)


def look_at_all(base: str, wanted: str = "") -> Found:
    """Check all pages, or those whose URL contains `wanted`."""
    found = Found()
    followed = pages_of(base, found.faults)
    found.answered = len(followed)
    addresses = [path for path in (*one_each(followed), MISSING) if wanted in path]
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-background-networking"]
        )
        for number, path in enumerate(addresses, start=1):
            say(f"page {number} of {len(addresses)}, {len(found.faults)} faults: {path}")
            look(browser, base, path, found)
        browser.close()
    return found


def main(arguments: list[str]) -> int:
    if arguments:
        found = look_at_all(arguments[0], *arguments[1:2])
    else:
        with site() as base:
            found = look_at_all(base)
    print("\n".join(found.faults), file=sys.stderr)
    print(
        json.dumps(
            {"answered": found.answered, "pages": found.pages, "looks": found.looks, "faults": len(found.faults)}
        )
    )
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
