"""True and false statements of Level 1: the official rules, with a stored seed where the release draws without one."""

import hashlib
from collections.abc import Sequence
from itertools import permutations

from benchmarks.errors import BadRelease

SEED = 2024  # part of definition version 1.0: another seed asks other questions


def draw(count: int, *, key: str, why: str, seed: int = SEED) -> int:
    """A number below `count`, the same for this key and purpose for ever."""
    digest = hashlib.sha256(f"{seed}/{why}/{key}".encode()).digest()
    return int.from_bytes(digest) % count


def other_label(label: str, labels: Sequence[str], key: str) -> str:
    """The false statement of a labelled clip: any other label of the test."""
    others = [other for other in labels if other != label]
    return others[draw(len(others), key=key, why="negative")]


def order_of(line: str, objects: int, where: str) -> str:
    """What stands from left to right: the last `objects` names of the comma list, whose last comma ends it."""
    names = line.splitlines()[0].removesuffix(",").split(",") if line.strip() else []
    if len(names) < objects or not all(names[-objects:]):
        raise BadRelease(f"{where}: names {len(names)} objects, {objects} are needed")
    return ",".join(names[-objects:])


def other_order(order: str, key: str, where: str) -> str:
    """The false statement of an ordering: any order of the same names that reads differently."""
    names = tuple(order.split(","))
    others = [other for other in permutations(names) if other != names]
    if not others:
        raise BadRelease(f"{where}: all objects have the same name, so no order of them is false")
    return ",".join(others[draw(len(others), key=key, why="negative")])
