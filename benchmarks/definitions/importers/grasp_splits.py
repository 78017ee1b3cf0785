"""Draws GRASP's splits from a fixed seed, so that complete packs have the same clips in each split.

Clips of one draw lie in the same splits, so that what a study of one split hides has no twin outside it. Those of the
official release are of different draws.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping

from benchmarks.definitions.importers.grasp_statements import SEED
from benchmarks.definitions.papers.grasp_tests import LEVEL_1

IN_PAPER = 128  # clips per Level-1 test, divided evenly among its folders; a Level-2 folder has no more
IN_TRIAL = 20  # clips per Level-2 folder
SHARE_OF_FOLDER = {folder: IN_PAPER // len(test.labels) for test in LEVEL_1 for folder in test.labels}


def splits_by_clip(
    clips: Mapping[str, Iterable[str]], draw_of: Callable[[str], str] = str
) -> dict[str, tuple[str, ...]]:
    """The splits of each clip key, from the clip keys of each folder; a smaller pack has smaller splits.

    `draw_of` names what the clips of one draw share; without it each clip is a draw of its own.
    """
    splits: dict[str, tuple[str, ...]] = {}
    for folder, keys in clips.items():
        for place, key in enumerate(sorted(keys, key=lambda key: _lot(draw_of(key)))):
            splits[key] = tuple(_splits_of(folder, place))
    return splits


def _splits_of(folder: str, place: int) -> Iterable[str]:
    yield "all"
    if place < SHARE_OF_FOLDER.get(folder, IN_PAPER):
        yield "paper"
    if folder.startswith(("P_", "IP_")) and place < IN_TRIAL:
        yield "human"


def _lot(name: str) -> bytes:
    return hashlib.sha256(f"{SEED}/split/{name}".encode()).digest()
