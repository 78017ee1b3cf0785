"""A referee's reply -> points on every dimension, or why there are none. Nothing is guessed.

What was given is gathered from JSON, tables and prose alike; a dimension counts when all of it says one number. What
can be taken in two ways (3-4, 8/10, a second thought, two different scores) is no score: the referee is asked again.
"""

from dataclasses import dataclass
from itertools import chain

from evaluation.refereeing.finding import Finding, said_aloud
from evaluation.refereeing.prose import in_prose
from evaluation.refereeing.rubrics import Dimension, Rubric
from evaluation.refereeing.structured import in_json, in_tables

PARSER, VERSION = "referee-scores", "2"
UNSCORED = "unscored"


@dataclass(frozen=True)
class Verdict:
    """A share of the highest score by dimension, 0 to 1; or the problem in words, and then no score at all."""

    scores: dict[str, float]
    problem: str = ""


def verdict_of(raw: str, rubric: Rubric) -> Verdict:
    """All dimensions or none: a reply without one of them scores nothing."""
    found = findings_in(raw, rubric.dimensions)
    scores = {}
    for dimension in rubric.dimensions:
        points = points_of([each for each in found if each.dimension == dimension], dimension)
        if isinstance(points, str):
            return Verdict({}, points)
        scores[dimension.name] = points / dimension.highest
    return Verdict(scores)


def findings_in(raw: str, dimensions: tuple[Dimension, ...]) -> list[Finding]:
    """Everything that the reply gives or seems to give; what one reader takes, the next doesn't see."""
    text = said_aloud(raw)
    written, text = in_json(text, dimensions)
    drawn, text = in_tables(text, dimensions)
    return list(chain(written, drawn, in_prose(text, dimensions)))


def points_of(found: list[Finding], dimension: Dimension) -> float | str:
    """The points that the reply gives, or what is wrong with it. Giving two different ones is giving none."""
    if unclear := next((each for each in found if each.points is None), None):
        return f"no score for {dimension.label} that can be read: {unclear.said}"
    given = sorted({each.points for each in found if each.points is not None})
    if not given:
        return f"no score for {dimension.label}"
    if len(given) > 1:
        return f"several scores for {dimension.label}: {', '.join(f'{each:g}' for each in given)}"
    if not 0 <= given[0] <= dimension.highest:
        return f"{dimension.label} {given[0]:g} is not between 0 and {dimension.highest}"
    return given[0]
