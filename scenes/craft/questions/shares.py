"""Samples questions in the shares of the paper: of question types, and of true-or-false questions within each.

The paper prints neither. Both follow from Table 1, easy setting (Ates and others 2022). A model's overall accuracy is
the mean of its five accuracies by type, weighted with the types' shares (14 models, five unknowns, largest residual
0.04 points). The most frequent answer overall is true or false. These two are balanced, so twice the accuracy in row
MFA is the share of true-or-false questions.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

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
Key = TypeVar("Key", bound=Hashable)


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
