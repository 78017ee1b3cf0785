"""Attacks by crawling: reads every page that can be found, signed in or not, for words near an item's id."""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from urllib.parse import urljoin, urlsplit

from tests.seals.attacker import Attacker, Door, Target
from tests.seals.learning import WORD, guesses, with_absent

LINK = re.compile(r"""(?:href|src|action|data-live-part|data-[a-z-]*url|poster)\s*=\s*["']([^"'<>]+)["']""")
IN_JSON = re.compile(r'"(/[a-z][^"\s\\]*)"')
NAME = re.compile(r"[0-9]+|[a-z2-7]{12}|[a-z2-7]{26}")
NEAR, ALIKE = 160, 2  # characters beside an id; pages per kind
LARGEST = 3_000_000
ITEM = re.compile(r"\b[a-z2-7]{12}\b")
STARTS = (
    "/",
    "/robots.txt",
    "/sitemap.xml",
    "/feed.atom",
    "/benchmarks/",
    "/leaderboard/",
    "/models/",
    "/trials/",
    "/snapshots/",
    "/concepts/",
    "/explore/",
    "/compare/",
    "/about/statistics/",
    "/api/v1/schema/",
    "/api/v1/docs/",
    "/docs/",
    "/metrics",
    "/submit/",
    "/account/",
    "/admin/",
    "/api/v1/snapshots/",
    "/api/v1/standings/",
    "/api/v1/runs/",
    "/api/v1/trials/",
    "/api/v1/models/",
    "/api/v1/packs/",
    "/api/v1/boards/",
    "/t/study/",
    "/trials/study/",
    "/trials/earlier/",
    "/api/v1/trials/earlier/votes/",
    "/api/v1/trials/study/votes/",
)
OF_A_PACK = (
    "/leaderboard/SLUG/?pack=PACK&strategy=WAY&split=SPLIT",
    "/leaderboard/SLUG/?pack=PACK&format=json&group=polarity",
    "/leaderboard/SLUG/?pack=PACK&format=csv",
    "/leaderboard/SLUG/?pack=PACK&format=xlsx",
    "/leaderboard/SLUG/?pack=PACK&columns=yes",
    "/leaderboard/SLUG/items/?pack=PACK&row=run-RUN&show=all",
    "/leaderboard/SLUG/items/?pack=PACK&row=trial-earlier&show=all",
    "/benchmarks/SLUG/items/?pack=PACK",
    "/api/v1/items/?pack=PACK&page_size=500",
    "/benchmarks/SLUG/?pack=PACK",
)


def pages(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the words near each item's id, on all pages that can be reached by links."""
    items = [*target.ids, *target.known]
    near: dict[str, set[str]] = {item: set() for item in items}
    for kind, text in _everything(attacker):
        for item, word in _mentions(text, set(items)):
            near[item].add(f"{kind} {word}")
    return guesses(target, with_absent(near, items))


def sockets(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the websockets of boards and runs."""
    items = [*target.ids, *target.known]
    near: dict[str, set[str]] = {item: set() for item in items}
    for address in (f"/ws/boards/{target.benchmark}/", *(f"/ws/runs/{run}/" for run in attacker.runs())):
        for message in attacker.visitor.hear(address):
            for item, word in _mentions(message, set(items)):
                near[item].add(f"{address} {word}")
    return guesses(target, with_absent(near, items))


def _everything(attacker: Attacker) -> list[tuple[str, str]]:
    """Every page, read once for all targets."""
    if not attacker.pages:
        doors = dict.fromkeys((attacker.visitor, attacker.member))
        attacker.pages += [
            page for door in doors for page in _crawled(door, list(_starts(attacker)), attacker.most_pages)
        ]
    return attacker.pages


def _crawled(door: Door, starts: Sequence[str], most: int) -> Iterator[tuple[str, str]]:
    waiting = deque(starts)
    named = frozenset(waiting)  # each of these counts as a kind of page
    seen: set[str] = set()
    alike: Counter[str] = Counter()
    read = 0
    while waiting and read < most:
        address = waiting.popleft()
        kind = address if address in named else _kind(address)
        if address in seen or "sign-out" in address or alike[kind] >= ALIKE:
            continue
        seen.add(address)
        alike[kind] += 1
        read += 1
        answer = door.get(address)
        if len(answer.body) > LARGEST or "video" in answer.headers.get("content-type", ""):
            continue
        text = answer.body.decode("utf-8", "replace")
        yield kind, text
        links = LINK.findall(text) if "html" in answer.headers.get("content-type", "") else IN_JSON.findall(text)
        waiting.extend(inside for link in links if (inside := _inside(address, link)))


def _starts(attacker: Attacker) -> Iterator[str]:
    """Where every crawl begins: pages of each target's pack, of each listed run, and of the site."""
    for target in attacker.targets:
        run = str(attacker.runs(target.pack)[0])
        for address in OF_A_PACK:
            address = address.replace("SLUG", target.benchmark).replace("PACK", target.pack).replace("RUN", run)
            yield address.replace("WAY", target.strategy).replace("SPLIT", target.split)
    runs = attacker.runs()
    yield from (f"/api/v1/runs/{run}/responses/?page_size=500" for run in runs)
    yield from STARTS
    yield from (f"/compare/?a=run-{a}&b=run-{b}" for a, b in pairwise(runs))
    yield f"/api/v1/compare/?a=run-{runs[0]}&b=run-{runs[1]}"
    yield f"/compare/?a=run-{attacker.runs('round')[0]}&b=trial-earlier"


def _kind(address: str) -> str:
    """The address without ids, which is the same for all pages of one kind."""
    path, _, query = address.partition("?")
    path = "/".join("N" if NAME.fullmatch(part) else part for part in path.split("/"))
    return path + "?" + "&".join(sorted(part for part in query.split("&") if not part.startswith(("page=", "cursor="))))


def _inside(address: str, link: str) -> str:
    joined = urlsplit(urljoin(f"http://testserver{address}", link.strip().replace("&amp;", "&")))
    path = joined.path + (f"?{joined.query}" if joined.query else "")
    return path if joined.netloc == "testserver" and not path.startswith(("/static/", "/media/")) else ""


def _mentions(text: str, items: set[str]) -> Iterator[tuple[str, str]]:
    """Every word near an item's id, before and after it, up to the next id."""
    found = [match for match in ITEM.finditer(text) if match.group() in items]
    ends = [0, *(match.end() for match in found)]
    starts = [*(match.start() for match in found[1:]), len(text)]
    for match, before, after in zip(found, ends, starts, strict=False):
        yield match.group(), "named"
        near = {
            "before": text[max(before, match.start() - NEAR) : match.start()],
            "after": text[match.end() : min(after, match.end() + NEAR)],
        }
        for side, words in near.items():
            yield from ((match.group(), f"{side} {word}") for word in WORD.findall(words) if not NAME.fullmatch(word))
