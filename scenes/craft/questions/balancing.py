"""Balances the questions of many videos, so that scene and kind of question don't give the answer away."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from scenes.craft.questions.asking import Answer

LEAST_UNBALANCED = 3  # counts from this one on are rare, so all are kept
BALANCE = 20  # first number of this module's seeds
Cell = tuple[int, str]  # scene and template
Key = TypeVar("Key", bound=Hashable)


def balanced(cells: Iterable[tuple[Cell, Key, Answer]], seed: int) -> set[Key]:
    """The keys to keep; each cell is balanced by itself with its own random numbers."""
    held: dict[Cell, list[tuple[Key, Answer]]] = defaultdict(list)
    for cell, key, answer in cells:
        held[cell].append((key, answer))
    return {key for cell, pairs in held.items() for key in _balanced_keys(pairs, _chance(seed, cell))}


def _chance(seed: int, cell: Cell) -> np.random.Generator:
    scene, template = cell
    return np.random.default_rng([seed, BALANCE, scene, *template.encode()])


def _balanced_keys(pairs: Sequence[tuple[Key, Answer]], rng: np.random.Generator) -> list[Key]:
    """The balanced keys of one cell: none if all answers are equal, all if only one answer is not a rare count.

    Otherwise all rare counts, and of each other answer as many keys as of the least frequent one.
    """
    counts = Counter(answer for _, answer in pairs if not is_rare(answer))
    if len({answer for _, answer in pairs}) == 1:
        return []
    if len(counts) <= 1:
        return [key for key, _ in pairs]
    keys = [key for key, answer in pairs if is_rare(answer)]
    for wanted in sorted(counts, key=str):
        same = [key for key, answer in pairs if answer == wanted]
        keys += [same[place] for place in rng.permutation(len(same))[: min(counts.values())]]
    return keys


def is_rare(answer: Answer) -> bool:
    return isinstance(answer, int) and not isinstance(answer, bool) and answer >= LEAST_UNBALANCED
