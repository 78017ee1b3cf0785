"""A referee's reply -> points on every dimension, or why there are none. Nothing is guessed.

Anchored on the name of the dimension at the beginning of a sentence (blanks, case and a number before it don't
matter), then `score`, then the number; numbers inside a reason are never taken. Replies of GPT-4 that the Giraffe
paper prints drop the brackets and separate the dimensions by a blank, a line or an empty line.
"""

import re
from dataclasses import dataclass

from evaluation.refereeing.rubrics import Dimension, Rubric

PARSER, VERSION = "referee-scores", "1"
UNSCORED = "unscored"


@dataclass(frozen=True)
class Verdict:
    """A share of the highest score by dimension, 0 to 1; or the problem in words, and then no score at all."""

    scores: dict[str, float]
    problem: str = ""


def verdict_of(raw: str, rubric: Rubric) -> Verdict:
    """All dimensions or none: a reply without one of them scores nothing."""
    scores = {}
    for dimension in rubric.dimensions:
        found = points_of(raw, dimension)
        if isinstance(found, str):
            return Verdict({}, found)
        scores[dimension.name] = found / dimension.highest
    return Verdict(scores)


def points_of(raw: str, dimension: Dimension) -> float | str:
    """The points that the reply gives, or what is wrong with it. Giving two different ones is giving none."""
    given = {float(found[1]) for found in _line(dimension).finditer(raw)}
    if not given:
        return f"no score for {dimension.label}"
    if len(given) > 1:
        return f"several scores for {dimension.label}: {', '.join(f'{each:g}' for each in sorted(given))}"
    points = given.pop()
    if not 0 <= points <= dimension.highest:
        return f"{dimension.label} {points:g} is not between 0 and {dimension.highest}"
    return points


def _line(dimension: Dimension) -> re.Pattern[str]:
    """`1. **LogicalConsistency**: score: [4]` in all its spellings; "4/5" is 4, "4-5" and "4 or 5" are nothing."""
    label = r"\s*".join(map(re.escape, dimension.label.split()))
    before = r"(?:^|[\n.!?\])])[\s*_#>-]*(?:\d\s*[.)]\s*)?[\s*_]*"
    number = r"(-?\d+(?:\.\d+)?)(?![\d.]*\d)(?!\s*(?:-|–|to\b|or\b)\s*\d)"
    out_of = rf"(?:\s*(?:/|out of)\s*{dimension.highest}(?!\d))?"
    word = r"[\s*_]*[:\-–=]?[\s*_]*"  # what may stand between two words: blanks, emphasis, a colon
    line = rf"{before}{label}{word}scores?{word}[\[(]?\s*{number}{out_of}(?!\s*/)"
    return re.compile(line, re.IGNORECASE)
