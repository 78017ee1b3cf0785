"""Every public page, found by following links: answered, without a finding of axe, no wider than the window, silent.

`python -m bench.pages` starts a site on the current data folder (run `make demo` first), `python -m bench.pages URL`
looks at one that runs. Of each route and benchmark the first address with each set of parameters is followed; the first
of all is looked at wide and at 360 px, in both themes, and must say as much without JavaScript. Prints one JSON line;
exit 1 where something was found.
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

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django  # noqa: E402

django.setup()

from axe_playwright_python.sync_playwright import Axe  # noqa: E402
from django.urls import Resolver404, resolve  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from benchsite.serving import free_port, start_services, stop_all, wait_until_it_answers  # noqa: E402

Key = tuple[str, ...]
Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
LOOKS: list[tuple[int, Theme]] = [(width, theme) for width in (1280, 360) for theme in THEMES]
NOT_FOLLOWED = {"road", "trial-entry", "media", "account_logout"}  # people's road has its own test
MISSING = "/no-such-page/"
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SAID = "document.querySelector('main')?.innerText.replace(/\\s+/g, ' ').length ?? 0"
LINK = re.compile(r'\shref="([^"]+)"')


@dataclass
class Found:
    """What was looked at, and what is wrong with it."""

    answered: int = 0
    pages: int = 0
    looks: int = 0
    faults: list[str] = field(default_factory=list)


def key_of(address: str) -> Key | None:
    """What is one page to a reader: its route, benchmark and the names of its parameters. None: nothing to look at."""
    parts = urlsplit(address)
    try:
        match = resolve(parts.path)
    except Resolver404:
        return None
    given = dict(parse_qsl(parts.query))
    if match.url_name in NOT_FOLLOWED or parts.path.startswith(("/admin", "/static")) or "format" in given:
        return None
    return (str(match.url_name), match.kwargs.get("slug", ""), match.kwargs.get("name", ""), *sorted(given))


def one_each(pages: dict[Key, str]) -> list[str]:
    """The first address of each route, benchmark and name, whatever its parameters."""
    return list({key[:3]: path for key, path in reversed(pages.items())}.values())[::-1]


def pages_of(base: str, faults: list[str]) -> dict[Key, str]:
    """One address of HTML a key, breadth first; what answers 5xx, or a link that leads nowhere, is a fault."""
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
    """One page in every look, and once without JavaScript."""
    found.pages += 1
    said = 0
    for width, theme in LOOKS:
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
        complaints = listened_to(page)
        page.goto(base + path)
        faults = [f"axe {one['id']}: {one['nodes'][0]['html']}" for one in Axe().run(page).response["violations"]]
        faults += [f"{beyond} px wider than the window"] if (beyond := page.evaluate(TOO_WIDE)) > 0 else []
        faults += complaints if path != MISSING else []
        found.faults += [f"{path} at {width} {theme}: {fault[:200]}" for fault in faults]
        found.looks += 1
        said = page.evaluate(SAID)
        page.close()
    page = browser.new_page(java_script_enabled=False)
    page.goto(base + path)
    plain = len(re.sub(r"\s+", " ", page.locator("main").inner_text()))
    if plain < 0.9 * said:
        found.faults.append(f"{path}: says {plain} characters without JavaScript, {said} with it")
    page.close()


def listened_to(page: Page) -> list[str]:
    """What its console complains about, as it comes."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def say(where: str) -> None:
    """How far it is, for who waits: hundreds of pages in four looks take their time."""
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
    """All pages, or those whose address has this part."""
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
