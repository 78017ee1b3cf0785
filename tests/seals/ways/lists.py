"""Attacks on an item's place on each list, which tells its folder if it is the release's, and on response times."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from tests.seals.attacker import Attacker, Door, Target, clocked, wanted_items
from tests.seals.learning import guesses

PAGES = 12


def orders(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from an item's position on each list; a list in the release's order reveals the folder."""
    features: dict[str, dict[str, object]] = {}
    known = set(target.ids) | set(target.known)
    for name, ids in _ordered(attacker, target):
        for place, item in enumerate(one for one in ids if one in known):
            features.setdefault(item, {})[name] = place
    return guesses(target, features)


def _ordered(attacker: Attacker, target: Target) -> Iterator[tuple[str, list[str]]]:
    yield "empty file", wanted_items(attacker, target)
    for door in (attacker.visitor, attacker.member):
        lines = door.get(f"/benchmarks/{target.benchmark}/items.jsonl?pack={target.pack}").text
        yield "download", re.findall(r'"item": "([a-z0-9]+)"', lines)
    yield "api", [row.get("public_id", row.get("item", "")) for row in _records(attacker.visitor, target)]
    refused = attacker.upload(target, [{"item": "nonsense", "answer": target.options[0]}]).json()
    yield "missing", [problem.get("item") or "" for problem in refused.get("problems", [])]
    shown = []
    for page in range(1, PAGES):
        answer = attacker.visitor.get(f"/benchmarks/{target.benchmark}/items/?pack={target.pack}&page={page}")
        ids = re.findall(r"/items/([a-z0-9]+)/", answer.text)
        if answer.status != 200 or not ids:
            break
        shown += ids
    yield "gallery", list(dict.fromkeys(shown))


def _records(door: Door, target: Target) -> list[dict[str, Any]]:
    found, address = [], f"/api/v1/items/?benchmark={target.benchmark}&pack={target.pack}&page_size=500"
    while address:
        page = door.get(address).json()
        found += page.get("results", [])
        address = page.get("next") or ""
    return found


def response_times(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the shortest response time of each item's page."""
    features = {}
    for item in sorted((*target.ids, *target.told)):  # in mixed order, so that a busy moment affects both answers alike
        address = f"/benchmarks/{target.benchmark}/items/{item}/"
        cost = clocked(partial(attacker.visitor.get, address))
        features[item] = {"clock": cost.clock, "processor": cost.processor}
    return guesses(target, features)
