"""Answers CRAFT's questions from the definitions (fact sheet, 4.1, 5.1 and 5.4) and the released JSON.

It imports nothing of the site: no programs, audit, events or things. The template's name gives the kind of question,
the words give the things.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

SIZES = {"small": "small", "tiny": "small", "large": "large", "big": "large"}
COLORS = {name: name for name in ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")}
SHAPES = {"cube": "cube", "block": "cube", "triangle": "triangle", "circle": "circle"}
NAMED = re.compile(rf"({'|'.join(SIZES)}) ({'|'.join(COLORS)}) ({'|'.join(SHAPES)})")
STILL = 0.001  # metres a second: a thing slower than this along both axes is at rest
Run = dict[str, Any]


def evaluate(template: str, text: str, annotation: dict[str, Any]) -> str:
    """The answer in lower case."""
    family, _, number = template.partition("_")
    families: dict[str, Callable[[World, str, int], object]] = {
        "descriptive": descriptive,
        "counterfactual": counterfactual,
        "prevent": partial(changed, prevents=True),
        "enable": changed,
        "cause": partial(changed, wants_motion=False),
    }
    return str(families[family](World(annotation), text.lower(), int(number))).lower()


class World:
    """The records of a video and of its variations."""

    def __init__(self, annotation: dict[str, Any]) -> None:
        self.run: Run = annotation["original_video_output"]
        self.without: dict[int, Run] = {int(uid): run for uid, run in annotation["variations_outputs"].items()}
        start, end = (state["scene"]["objects"] for state in self.run["scene_states"])
        self.start = {thing["uniqueID"]: thing for thing in start}
        self.end = {thing["uniqueID"]: thing for thing in end}
        self.free = {uid for uid, thing in self.start.items() if thing["bodyType"] != 0}
        self.ground = next(uid for uid, thing in self.start.items() if thing["shape"] == "ground")

    def meant(self, words: tuple[str, str, str]) -> int:
        wanted = (SIZES[words[0]], COLORS[words[1]], SHAPES[words[2]])
        (only,) = (u for u, one in self.start.items() if (one["size"], one["color"], one["shape"]) == wanted)
        return int(only)

    def moves(self, thing: dict[str, Any]) -> bool:
        return thing["bodyType"] != 0 and any(abs(speed) > STILL for speed in thing["2dLinearVelocity"])

    def times(self, outcome: str, run: Run | None = None) -> dict[int, list[int]]:
        """Thing -> the step of its `enter` or `fall`, for free things that entered the basket or hit the ground."""
        found: dict[int, list[int]] = {}
        for node in (run or self.run)["causal_graph"]["nodes"]:
            entered = node["type"] == "ContainerEndUp"
            fell = node["type"] == "Collision" and self.ground in node["objects"]
            for uid in set(node["objects"]) & self.free if (entered if outcome == "enter" else fell) else ():
                found.setdefault(uid, []).append(node["step"])
        return found

    def meetings(self) -> list[tuple[int, set[int]]]:
        """Collisions between two free things, by step; those of one step in the listed order."""
        nodes = sorted(self.run["causal_graph"]["nodes"], key=lambda node: node["step"])
        collisions = [(node["step"], set(node["objects"])) for node in nodes if node["type"] == "Collision"]
        return [(step, pair) for step, pair in collisions if pair <= self.free]


def outcome_of(number: int, *falls: int) -> str:
    return "fall" if number in falls else "enter"


def things_in(world: World, text: str) -> list[int]:
    return [world.meant(words) for words in NAMED.findall(text)]


def descriptive(world: World, text: str, number: int) -> object:
    if number <= 3:
        return counted(world, text, {uid for uid, thing in world.end.items() if world.moves(thing)})
    if number <= 11:
        return counted(world, text, set(world.times(outcome_of(number, 8, 9, 10, 11))))
    if number in (22, 23, 24, 25):
        return partner(world, text, number)
    happened = world.times(outcome_of(number, 18, 19, 28, 29, 34, 35, 39))
    subject, *others = things_in(world, text)
    first = min(happened[subject])
    if number >= 38:
        return first < min(happened[others[0]])
    is_wanted: Callable[[int], bool] = (
        (lambda step: step > first) if number in (16, 18, 26, 28, 32, 34) else (lambda step: step < first)
    )
    if number <= 19:
        who = {uid for uid, steps in happened.items() if any(map(is_wanted, steps))}
        return len(who - {subject} if number >= 18 else who)
    return any(is_wanted(step) and (number >= 32 or subject in pair) for step, pair in world.meetings())


def partner(world: World, text: str, number: int) -> str:
    (subject,) = things_in(world, text)
    met = [pair for _, pair in world.meetings() if subject in pair]
    (other,) = met[0 if number in (22, 24) else -1] - {subject}
    return str(world.start[other]["color" if number in (22, 23) else "shape"])


def counted(world: World, text: str, uids: set[int]) -> int:
    """The number of these things of the kind in "how many red objects", "how many cubes"."""
    first, second = text.removeprefix("how many ").split()[:2]
    for name, known in (("size", SIZES), ("color", COLORS)):
        if first in known and second == "objects":
            return sum(world.start[uid][name] == known[first] for uid in uids)
    if first != "objects":
        return sum(world.start[uid]["shape"] == SHAPES[first.removesuffix("s")] for uid in uids)
    return len(uids)


def counterfactual(world: World, text: str, number: int) -> object:
    outcome = outcome_of(number, 1, 4, 7)
    if number >= 6:
        (subject,) = things_in(world, text)
        return any(subject in world.times(outcome, run) for uid, run in world.without.items() if uid != subject)
    removed = world.meant(re.findall(rf"if the {NAMED.pattern} is removed", text)[0])
    would = world.times(outcome, world.without[removed])
    if number >= 3:
        return len(would)
    (subject,) = {*things_in(world, text)} - {removed}
    return subject in would


def affector_of(world: World, text: str) -> int:
    """The thing named first, or after "by" in a passive sentence."""
    passive = re.findall(rf"by the {NAMED.pattern}", text)
    return world.meant(passive[0]) if passive else things_in(world, text)[0]


def changed(world: World, text: str, number: int, *, prevents: bool = False, wants_motion: bool = True) -> object:
    """Things with the outcome that lack it without the affector, with intention (enable) or without it (cause).

    If it `prevents`: things without the outcome that have it without the affector.
    """
    outcome, affector = outcome_of(number, 0, 3), affector_of(world, text)
    has, would = set(world.times(outcome)), set(world.times(outcome, world.without[affector]))
    turned = would - has if prevents else has - would
    who = {uid for uid in turned if world.moves(world.start[uid]) == wants_motion} - {affector}
    return told(world, text, number, affector, who, world.free - has if prevents else has)


def told(world: World, text: str, number: int, affector: int, who: set[int], askable: set[int]) -> object:
    """The number of things, or whether the named thing is among them; it is chosen among the permitted things."""
    if number >= 3:
        return len(who)
    (patient,) = {*things_in(world, text)} - {affector}
    if patient not in askable:
        raise ValueError(f"{text!r} may not be asked about {patient}")
    return patient in who
