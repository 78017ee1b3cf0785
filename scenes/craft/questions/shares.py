"""Balances questions, so that scene and kind don't give the answer away, and samples them in the shares of the paper:
of question types, and of true-or-false questions within each.

The paper prints neither share. Both follow from Table 1, easy setting (Ates and others 2022). A model's overall
accuracy is the mean of its five accuracies by type, weighted with the types' shares (14 models, five unknowns, largest
residual 0.04 points). The most frequent answer overall is true or false. These two are balanced, so twice the accuracy
in row MFA is the share of true-or-false questions.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from scenes.craft.questions.asking import Answer

LEAST_UNBALANCED = 3  # counts from this one on are rare, so all are kept
BALANCE = 20  # first number of this module's seeds
SceneTemplate = tuple[int, str]
Key = TypeVar("Key", bound=Hashable)


def balanced(cells: Iterable[tuple[SceneTemplate, Key, Answer]], seed: int) -> set[Key]:
    """The keys to keep; each cell is balanced by itself with its own random numbers."""
    held: dict[SceneTemplate, list[tuple[Key, Answer]]] = defaultdict(list)
    for cell, key, answer in cells:
        held[cell].append((key, answer))
    return {key for cell, pairs in held.items() for key in _balanced_keys(pairs, _chance(seed, cell))}


def _chance(seed: int, cell: SceneTemplate) -> np.random.Generator:
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


SHARES = 21  # first number of this module's seeds
TYPES = {"Cause": 0.044, "Counterfactual": 0.307, "Descriptive": 0.568, "Enable": 0.041, "Prevent": 0.040}
BOOLEANS = {"Cause": 0.683, "Counterfactual": 0.866, "Descriptive": 0.471, "Enable": 0.676, "Prevent": 0.594}
BOOLEAN = "Boolean"
Cell = tuple[str, bool]  # question type, and whether the answer is true or false
PAPER: dict[Cell, float] = {
    (name, is_boolean): share * (BOOLEANS[name] if is_boolean else 1 - BOOLEANS[name])
    for name, share in TYPES.items()
    for is_boolean in (True, False)
}


class TooFewQuestions(ValueError):
    """A kind of question that the paper has is missing; the message names it."""


def in_shares_of_paper(questions: Iterable[tuple[str, str, Key]], seed: int) -> set[Key]:
    """The keys of the largest set with the paper's shares, from (question type, answer type, key); raises
    TooFewQuestions.
    """
    cells: dict[Cell, list[Key]] = defaultdict(list)
    for question_type, answer_type, key in questions:
        cells[question_type, answer_type == BOOLEAN].append(key)
    for (name, is_boolean), share in PAPER.items():
        if not cells[name, is_boolean]:
            kind = "true-or-false" if is_boolean else "other"
            raise TooFewQuestions(f"no {kind} question of type {name}, {share:.1%} in the paper: make more videos")
    size = min(len(cells[cell]) / share for cell, share in PAPER.items())
    rng = np.random.default_rng([seed, SHARES])
    numbers = ((cells[cell], min(len(cells[cell]), max(1, round(size * share)))) for cell, share in PAPER.items())
    return {keys[place] for keys, wanted in numbers for place in rng.permutation(len(keys))[:wanted]}
