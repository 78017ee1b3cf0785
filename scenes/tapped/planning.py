"""Plans objects and pairs: groups of four, two looks crossed with two materials, and all six pairs of each group.

Every object is in three pairs, as in PACS, and each group has pairs that look alike and sound different, pairs that
sound alike and look different, and pairs that differ in both.
"""

import colorsys
import itertools
from collections.abc import Iterator

import numpy as np
from numpy.random import Generator

from scenes.scene import Colour
from scenes.tapped.things import MATERIALS, TappedObject

# Paint hides the material. Dropped things are unpainted, since their bouncing would reveal the material anyway.
KINDS = (("tapped", True), ("dropped", False), ("scraped", True), ("rolled", True))
SHAPES = {
    "tapped": ("mug", "bottle", "plate", "brick", "can", "ball", "book", "spoon", "tile", "cushion"),
    "dropped": ("plate", "brick", "book", "spoon", "tile", "cushion"),  # shapes that land as they lay
    "scraped": ("mug", "bottle", "plate", "brick", "can", "book", "spoon", "tile", "cushion"),
    "rolled": ("ball", "can", "bottle"),
}
ROOMS, LIGHTS = ("study", "kitchen"), ("window", "evening", "lamp")
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))  # of a group's things: look 0/1 by material 0/1
EDGES = (0.095, 0.125)  # metres
PLAN = 0  # first number of the seeds of this module only


def groups_for(pairs: int) -> int:
    """Number of groups for this many pairs."""
    return -(-pairs // len(PAIRS))


def things_of(seed: int, pairs: int) -> list[TappedObject]:
    """Every object of a set with this many pairs; more pairs never change the earlier ones."""
    found = [thing for group in range(groups_for(pairs)) for thing in group_of(seed, group)]
    used = {key for pair in pairs_of(seed, pairs) for key in pair}
    return [thing for thing in found if thing.key in used]


def pairs_of(seed: int, pairs: int) -> list[tuple[str, str]]:
    """The pairs by their objects' keys, in a random order within each pair."""
    return list(itertools.islice(_pairs(seed), pairs))


def group_of(seed: int, group: int) -> list[TappedObject]:
    rng = np.random.default_rng([seed, PLAN, group])
    action, is_painted = KINDS[group % len(KINDS)]
    shapes = rng.permutation(SHAPES[action])[:2]
    colours = _colours(rng)
    edge = float(rng.uniform(*EDGES))
    room, light = str(rng.choice(ROOMS)), str(rng.choice(LIGHTS))
    return [
        TappedObject(
            key=f"object{4 * group + number:04}",
            material=material,
            shape=str(shapes[look]),
            edge=edge,
            colour=colours[look],
            is_painted=is_painted,
            action=action,
            group=group,
            split=_split(group),
            room=room,
            light=light,
        )
        for number, (look, material) in enumerate(itertools.product((0, 1), _materials(seed, group)))
    ]


def _materials(seed: int, group: int) -> tuple[str, str]:
    """Two materials; five groups use all ten, in an order drawn for every five groups."""
    order = np.random.default_rng([seed, PLAN + 1, group // 5]).permutation(list(MATERIALS))
    return str(order[2 * (group % 5)]), str(order[2 * (group % 5) + 1])


def _colours(rng: Generator) -> tuple[Colour, Colour]:
    hue = float(rng.uniform(0, 1))
    first, second = (colorsys.hsv_to_rgb(turned % 1, 0.65, 0.85) for turned in (hue, hue + 0.4))
    return first, second


def _split(group: int) -> str:
    return {0: "val", 1: "test"}.get(group % 10, "train")


def _pairs(seed: int) -> Iterator[tuple[str, str]]:
    for group in itertools.count():
        rng = np.random.default_rng([seed, PLAN + 2, group])
        for first, second in PAIRS:
            ends = [f"object{4 * group + number:04}" for number in (first, second)]
            if rng.integers(2):
                ends.reverse()
            yield ends[0], ends[1]
