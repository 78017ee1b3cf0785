"""Attacks on boards, with uploads that differ in single answers: figures that change, lists of right items."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks.definitions.registry import BUILT_IN
from tests.seals.attacker import Attacker, Target, send, wanted_items

TITLES = {test.value: test.title for test in BUILT_IN["grasp"].facet("test").values if test.level == "2"}
ROUNDS = 4  # number of answers per test that are changed one by one
TUNED = 12  # maximum number of known answers used to bring a rounded score to an edge
OF_EDGES = 40  # number of items whose answers are changed singly; the others are decided by a coin
# Reads the named numbers about a run.
Read = Callable[[Attacker, Target, int], Iterator[tuple[str, float]]]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def differences_after_listing(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from figures that change between listed runs that differ in one answer per test."""
    groups = _groups(target)
    every = wanted_items(attacker, target)
    base = _figures(attacker, target, every, set())
    found: dict[str, str] = {}
    for number in range(ROUNDS):
        flipped = {ids[number]: group for group, ids in groups.items() if number < len(ids)}
        if not (flipped and (figures := _figures(attacker, target, every, set(flipped)))):
            break
        for item, group in flipped.items():
            if moved := _direction(base, figures, group if len(groups) > 1 else ""):
                found[item] = target.options[0] if moved > 0 else target.options[1]
    return found or None


def _groups(target: Target) -> dict[str, list[str]]:
    """The items to guess by test, each of which has its own column; one group if there are no tests."""
    groups: dict[str, list[str]] = {}
    for item in target.ids:
        groups.setdefault(target.tests.get(item, "all"), []).append(item)
    return groups


def edges_after_listing(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from rounded scores, with one listing per item.

    Known answers first bring the score to an edge, where one more right answer changes the rounded score. Then each
    item's answer is changed singly: the rounded score rises if the old answer was wrong, and otherwise doesn't.
    """
    every = wanted_items(attacker, target)
    right = sorted(item for item, answer in target.told.items() if answer == target.options[0])

    def told_of(first: set[str]) -> dict[str, float]:
        return _figures(attacker, target, every, first, read=_on_the_board)

    told = [told_of(set(right[:number])) for number in range(TUNED)]
    edge = next((number for number in range(1, TUNED) if _rises(told[number - 1], told[number])), None)
    if edge is None:
        return None
    below = set(right[: edge - 1])
    found: dict[str, str] = {}
    for item in target.ids[:OF_EDGES]:
        if not (figures := told_of(below | {item})):
            break
        found[item] = target.options[0 if _rises(told[edge - 1], figures) else 1]
    return found or None


def _rises(before: Mapping[str, float], after: Mapping[str, float]) -> bool:
    return _direction(before, after, "") > 0


def _figures(
    attacker: Attacker, target: Target, every: list[str], flipped: set[str], *, read: Read | None = None
) -> dict[str, float]:
    """The site's numbers for a run that gives the first answer to the flipped items and the second to all others."""
    rows = [{"item": item, "answer": target.options[0 if item in flipped else 1]} for item in every]
    answer = attacker.upload(target, rows, model=f"Differs {attacker.uploads} {target.name}")
    run = answer.json().get("run")
    if not run:
        return {}
    send(attacker.member, f"/submit/{run}/propose/", {})
    attacker.wait()
    return dict((read or _read)(attacker, target, run))


def _read(attacker: Attacker, target: Target, run: int) -> Iterator[tuple[str, float]]:
    records = f"/api/v1/standings/?benchmark={target.benchmark}&page_size=500", "/api/v1/submissions/"
    for address in (f"/runs/{run}/card.json", *records):
        facts = _own_rows(attacker.member.get(address).json(), run)
        yield from leaves(facts, address.split("?")[0].replace(str(run), "N"))
    for group in ("test", "concept", "property"):
        yield from _on_the_board(attacker, target, run, group)
    for address in (f"/submit/{run}/", f"/runs/{run}/"):
        for line in re.split(r"</tr>|</dd>|</p>|</li>", attacker.member.get(address).text):
            words = " ".join(re.sub(r"<[^>]*>", " ", line).split())
            for place, number in enumerate(NUMBER.findall(words)):
                yield f"{NUMBER.sub('', words)} {place}", float(number)


def _on_the_board(attacker: Attacker, target: Target, run: int, group: str = "test") -> Iterator[tuple[str, float]]:
    view = f"pack={target.pack}&strategy={target.strategy}&split={target.split}"
    board = attacker.member.get(f"/leaderboard/{target.benchmark}/?{view}&format=json&group={group}").json()
    for row in board.get("rows", []):
        if row.get("name", "").startswith("Differs") and row.get("key", f"run-{run}") == f"run-{run}":
            yield from leaves(row, f"board {group}")


def _own_rows(facts: Any, run: int) -> Any:
    """The rows of a list that are about this run; anything else unchanged."""
    rows = facts.get("results") if isinstance(facts, dict) else facts
    if not isinstance(rows, list):
        return facts
    return [
        row
        for row in rows
        if isinstance(row, dict) and str(run) in (str(row.get("run")), str(row.get("key", "")).removeprefix("run-"))
    ]


def leaves(facts: Any, path: str) -> Iterator[tuple[str, float]]:
    """Every number with its path."""
    if isinstance(facts, dict):
        for name, value in facts.items():
            yield from leaves(value, f"{path}/{name}")
    elif isinstance(facts, list):
        for place, value in enumerate(facts):
            yield from leaves(value, f"{path}/{place}")
    elif isinstance(facts, int | float) and not isinstance(facts, bool):
        yield path, float(facts)


def _is_about(name: str, group: str) -> bool:
    return any(re.search(rf"(?i)\b{re.escape(one)}\b", name) for one in (group, TITLES.get(group, group)))


def _direction(base: Mapping[str, float], figures: Mapping[str, float], group: str) -> int:
    """1 if scores of this group rose, -1 if they fell, 0 if they didn't change or disagree."""
    moved = [
        figures[name] - base[name]
        for name in figures.keys() & base.keys()
        if _is_about(name, group) and re.search(r"(?i)score|accuracy|mean|correct|%|right", name)
    ]
    signs = {1 if change > 0 else -1 for change in moved if abs(change) > 1e-9}
    return signs.pop() if len(signs) == 1 else 0
