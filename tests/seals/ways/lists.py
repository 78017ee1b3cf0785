"""Attacks on lists and records: filters, orders, fields, and pages of single items."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.seals.attacker import Answer, Attacker, Door, Target
from tests.seals.learning import WORD, guesses, with_absent
from tests.seals.ways.uploads import wanted_items

# Names of fields that may reveal an answer, with their possible values.
TELLING = {
    "polarity": ("positive", "negative", "plausible", "implausible"),
    "expected": ("yes", "no", "object 1", "object 2"),
    "answer": ("yes", "no", "object 1", "object 2"),
    "label": ("0", "1"),
    "variant": ("true", "false"),
    "key": ("level2/P_", "level2/IP_"),
    "truth": ("P", "IP"),
}
PAGES = 12


def filters(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from filtered lists: whether an item is on the list of one value and not on that of another."""
    features: dict[str, dict[str, object]] = {item: {} for item in (*target.ids, *target.known)}
    for address in _narrowed(target, attacker.runs(target.pack)[0]):
        for door in (attacker.visitor, attacker.member):
            text = door.get(address).text
            for item in features:
                features[item][address] = bool(features[item].get(address)) or item in text
    return guesses(target, features)


def _narrowed(target: Target, run: int) -> Iterator[str]:
    for name, values in TELLING.items():
        for value in values:
            yield f"/api/v1/items/?benchmark={target.benchmark}&pack={target.pack}&facet={name}:{value}&page_size=500"
            yield f"/benchmarks/{target.benchmark}/items.jsonl?pack={target.pack}&{name}={value}"
            strategy = f"strategy={target.strategy}&split={target.split}"
            yield f"/submit/empty/?pack={target.benchmark}/{target.pack}&{strategy}&only={name}={value}"
            if name in ("polarity", "answer"):
                yield f"/benchmarks/{target.benchmark}/items/?pack={target.pack}&{name}={value}"
                query = f"pack={target.pack}&row=run-{run}&show=all&{name}={value}"
                yield f"/leaderboard/{target.benchmark}/items/?{query}"


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


def records(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from every field of an item's records in the API and in the download."""
    features: dict[str, dict[str, object]] = {}
    for door in (attacker.visitor, attacker.member):
        lines = door.get(f"/benchmarks/{target.benchmark}/items.jsonl?pack={target.pack}").text.splitlines()
        rows = [json.loads(line) for line in lines if line.startswith("{")]
        for row in (*rows, *_records(door, target)):
            name = row.get("item") or row.get("public_id") or row.get("id")
            for field, value in row.items():
                is_number = isinstance(value, int | float) and not isinstance(value, bool)
                features.setdefault(str(name), {})[field] = value if is_number else str(value)
    return guesses(target, features)


def item_pages(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from all pages of an item, with its answer requested: status, headers, length and words."""
    items = [*target.ids, *target.told]
    words: dict[str, set[str]] = {item: set() for item in items}
    numbers: dict[str, dict[str, object]] = {item: {} for item in items}
    for item in items:
        for door, who in ((attacker.visitor, "visitor"), (attacker.member, "member")):
            for pattern in _addresses(target, who):
                answer = door.get(pattern.replace("ITEM", item))
                words[item] |= {f"{who} {pattern} {word}" for word in _words(answer, item)}
                numbers[item][f"{who} {pattern} length"] = len(answer.body)
    features = with_absent(words, items)
    return guesses(target, {item: {**numbers[item], **features[item]} for item in items})


def _addresses(target: Target, who: str) -> Iterator[str]:
    slug = target.benchmark
    yield f"/benchmarks/{slug}/items/ITEM/?answer=1"
    if who == "member":
        yield f"/benchmarks/{slug}/items/ITEM/ground-truth.zip?answer=1"
        yield f"/benchmarks/{slug}/items/ITEM/without/1.mp4?answer=1"
        yield "/api/v1/items/ITEM/"
        yield f"/leaderboard/{slug}/items/ITEM/"
        yield "/admin/benchmarks/item/?q=ITEM"


def _words(answer: Answer, item: str) -> Iterator[str]:
    yield f"status {answer.status}"
    for name, value in answer.headers.items():
        if name not in ("date", "x-request-id", "set-cookie"):
            yield f"{name}: {value}".replace(item, "ITEM")
    text = answer.text.replace(item, "ITEM")
    yield from ((word for word in WORD.findall(text)) if len(text) < 100_000 else ())
