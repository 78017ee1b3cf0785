"""What the readers of a referee's reply have in common: a finding, and how one number is written."""

import re
from dataclasses import dataclass
from functools import lru_cache

from evaluation.refereeing.rubrics import Dimension

THOUGHT = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
SAME = str.maketrans(
    {"：": ":", "／": "/", "［": "[", "］": "]", "\u00a0": " ", "\u202f": " ", "\r": "\n", "\u2011": "-"}
)
NUMBER = r"-?[0-9]{1,6}(?:\.[0-9]{1,6})?"
WORDS = {"zero": 0.0, "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}


@dataclass(frozen=True)
class Finding:
    """Points that a reply gives on one dimension; None where it says something that can't be taken for a number."""

    dimension: Dimension
    points: float | None
    said: str = ""


def said_aloud(raw: str) -> str:
    """The reply without a reasoning model's thoughts, in plain signs; thoughts that never end leave nothing."""
    return THOUGHT.sub("\n", raw).translate(SAME)


def plain(name: str) -> str:
    """A name as it is compared: letters alone, in lower case."""
    return "".join(letter for letter in name.lower() if letter.isalpha())


def named(name: str, dimensions: tuple[Dimension, ...]) -> Dimension | None:
    """The dimension of this name, "accuracy_score" and "Logical-Consistency" included."""
    wanted = plain(name)
    return next((each for each in dimensions if wanted in (plain(each.label), plain(each.label) + "score")), None)


def number_alone(text: str, dimension: Dimension) -> float | None:
    """ "4", "4.5", "[4]", "4/5" and "4 out of 5" where nothing else is said; None for anything else."""
    found = _alone(dimension.highest).fullmatch(text.strip())
    return float(found[1]) if found else None


def out_of(highest: int) -> str:
    """The pattern of "/5" and "out of 5", blanks before it included."""
    return rf"\s*(?:/|out\s+of)\s*{highest}(?:\.0)?(?![0-9.]*[0-9])"


@lru_cache
def _alone(highest: int) -> re.Pattern[str]:
    return re.compile(rf"\**\[?\s*({NUMBER})\s*\]?(?:{out_of(highest)})?\s*(?:points?)?\**\.?", re.IGNORECASE)
