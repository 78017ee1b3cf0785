"""Five journeys of a visitor from the home page, in a browser: python -m bench.pages.journeys http://127.0.0.1:8000

The test of the same journeys follows the links without a browser (tests/leaderboard/views/test_roads.py).
"""

import re
import sys
import tarfile
import time
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Journey:
    """A visitor's question, the links that lead to the answer, and the expected text of the last page or file."""

    question: str
    most: int  # clicks
    links: tuple[str, ...]  # a regular expression for each click, over a link's whole text
    shows: str  # a regular expression over the text at the end
    is_file: bool = False  # whether the last click is a download


ROADS = (
    Journey(
        "Who understands gravity best, and how far from people?",
        2,
        ("Concepts", "Gravity"),
        r"best model.*\d|no model beyond baselines",
    ),
    Journey("How do I put our model on the board?", 2, ("Submit a model", "Sign in to upload"), "Password"),
    Journey(
        "Table 1 as LaTeX", 3, ("Forces and interactions, .*", "Table 1", "LaTeX"), r"\\begin{tabular}", is_file=True
    ),
    Journey(
        "Why did a model fail on this clip?",
        3,
        ("Explore", "people right, models wrong: .*|models wrong", r".*Answer only with yes or no\."),
        "Reply, word for word.*wrong",
    ),
    Journey("Can I download it and run it myself?", 2, ("GRASP", r"everything \(TAR\)"), "score_replies", is_file=True),
)


def main(site: str) -> int:
    """Click through every journey; 1 if one ends elsewhere."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        found = [clicked(browser.new_page(), site, journey) for journey in ROADS]
        browser.close()
    print("| question | clicks | seconds |\n|---|---|---|")
    for journey, (seconds, is_there) in zip(ROADS, found, strict=True):
        print(f"| {journey.question} | {len(journey.links)} | {seconds:.1f}{'' if is_there else ' NOT THERE'} |")
    return int(not all(is_there for _, is_there in found))


def clicked(page: Any, site: str, journey: Journey) -> tuple[float, bool]:
    """Seconds from the first loaded page to the last one, and whether that has the expected text."""
    page.goto(site)
    began = time.monotonic()
    for pattern in journey.links[:-1] if journey.is_file else journey.links:
        _link(page, pattern).click()
        page.wait_for_load_state("load")
    if not journey.is_file:
        seconds, text = time.monotonic() - began, page.inner_text("main")
    else:
        with page.expect_download() as download:
            _link(page, journey.links[-1]).click()
        path = download.value.path()
        seconds, text = time.monotonic() - began, _text_of(path)
    return seconds, re.search(journey.shows, text, re.DOTALL) is not None


def _link(page: Any, pattern: str) -> Any:
    return page.get_by_role("link", name=re.compile(rf"^\s*(?:{pattern})\s*$", re.DOTALL)).first


def _text_of(path: Any) -> str:
    if tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            return "\n".join(archive.getnames())
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
