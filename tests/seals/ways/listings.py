"""An attack on boards, with uploads that differ in single answers: rounded figures that change."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.seals.attacker import Attacker, Target, send, wanted_items

TUNED = 12  # maximum number of known answers used to bring a rounded score to an edge
SCORE = re.compile(r"(?i)score|accuracy|mean|correct|%|right")
OF_EDGES = 40  # number of items whose answers are changed singly; the others are decided by a coin


def edges_after_listing(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from rounded scores, with one listing per item.

    Known answers first bring the score to an edge, where one more right answer changes the rounded score. Then each
    item's answer is changed singly: the rounded score rises if the old answer was wrong, and otherwise doesn't.
    """
    every = wanted_items(attacker, target)
    right = sorted(item for item, answer in target.told.items() if answer == target.options[0])
    told = [_scores(attacker, target, every, set(right[:number])) for number in range(TUNED)]
    edge = next((number for number in range(1, TUNED) if _rises(told[number - 1], told[number])), None)
    if edge is None:
        return None
    below = set(right[: edge - 1])
    found: dict[str, str] = {}
    for item in target.ids[:OF_EDGES]:
        if not (scores := _scores(attacker, target, every, below | {item})):
            break
        found[item] = target.options[0 if _rises(told[edge - 1], scores) else 1]
    return found or None


def _rises(before: Mapping[str, float], after: Mapping[str, float]) -> bool:
    """Whether scores rose and none fell."""
    changes = [after[name] - before[name] for name in after.keys() & before.keys()]
    return max(changes, default=0) > 1e-9 and min(changes) > -1e-9


def _scores(attacker: Attacker, target: Target, every: list[str], flipped: set[str]) -> dict[str, float]:
    """The board's scores of a run that gives the first answer to the flipped items and the second to all others."""
    rows = [{"item": item, "answer": target.options[0 if item in flipped else 1]} for item in every]
    answer = attacker.upload(target, rows, model=f"Differs {attacker.uploads} {target.name}")
    run = answer.json().get("run")
    if not run:
        return {}
    send(attacker.member, f"/submit/{run}/propose/", {})
    attacker.wait()
    view = f"pack={target.pack}&strategy={target.strategy}&split={target.split}"
    board = attacker.member.get(f"/leaderboard/{target.benchmark}/?{view}&format=json&group=test").json()
    own = (row for row in board.get("rows", []) if row.get("name", "").startswith("Differs"))
    named = (leaf for row in own if row.get("key", f"run-{run}") == f"run-{run}" for leaf in leaves(row, "board"))
    return {name: number for name, number in named if SCORE.search(name)}


def leaves(facts: Any, path: str) -> Iterator[tuple[str, float]]:
    """Every number with its path."""
    if isinstance(facts, dict | list):
        for name, value in facts.items() if isinstance(facts, dict) else enumerate(facts):
            yield from leaves(value, f"{path}/{name}")
    elif isinstance(facts, int | float) and not isinstance(facts, bool):
        yield path, float(facts)
