"""The exclusion rules that a study may name before it opens, each with its limit.

`judging/exclusion_rules.py` finds the people; `judging/answer_flags.py` finds the flags that some rules are about.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class RuleLimit:
    """The usual limit of a rule (None if the rule has no number), and what it limits.

    A rule about a flag takes `usual`, the limit at which the flag is raised, or a stricter one: below it if `is_most`.
    """

    usual: float | None
    of: str = ""
    is_flag: bool = False
    is_most: bool = False  # a figure below the limit excludes; else one above it
    largest: float = 1.0

    def refuses(self, limit: float) -> bool:
        """Whether the rule can't have this limit."""
        if self.usual is None or not 0 <= limit <= self.largest:
            return True
        return self.is_flag and (limit > self.usual if self.is_most else limit < self.usual)


SEEN = "clip-not-seen"
Rule = list[Any]  # its name, and its limit or None, as a JSON column gives them back
LIMITS: Mapping[str, RuleLimit] = {
    "answered-too-few": RuleLimit(0.75, "share of questions answered, at least", is_most=True),
    "missed-attention": RuleLimit(0, "attention items missed, at most", largest=100),
    "missed-any-attention": RuleLimit(None),
    SEEN: RuleLimit(0.2, "share of answers that can't rest on a view of the clip or pictures, at most"),
    "watched-too-little": RuleLimit(0.2, "share of answers without one full watch, at most"),
    "straight-lining": RuleLimit(None, is_flag=True),
    "alternation": RuleLimit(None, is_flag=True),
    "below-chance": RuleLimit(0.01, "p of so few right answers by guessing, at least", is_flag=True, is_most=True),
    "too-even": RuleLimit(0.05, "seconds of spread between the times of answers, at least", is_flag=True, is_most=True),
    "too-fast": RuleLimit(
        0.1, "median seconds from the clip's end to the answer, at least", is_flag=True, is_most=True
    ),
    "left-the-page": RuleLimit(1 / 3, "share of answers during which the page was left, at most", is_flag=True),
    "problem-reports": RuleLimit(0.2, "share of answers with a reported problem, at most", is_flag=True),
    "program": RuleLimit(0, "signs of a program, at most", is_flag=True, largest=8),
    "no-heartbeat": RuleLimit(None, is_flag=True),
    "page-not-sent": RuleLimit(None, is_flag=True),
    "same-device": RuleLimit(None, is_flag=True),
}


def read_rules(text: str) -> list[Rule]:
    """Parse `NAME` and `NAME=LIMIT`, separated by blanks; raises ValueError with the first invalid word.

    They are pairs, since a database may change the order of an object's keys.
    """
    rules: dict[str, float | None] = {}
    for word in text.split():
        name, _, limit = word.partition("=")
        if name not in LIMITS:
            raise ValueError(f"{name!r} is no rule; there are: {', '.join(LIMITS)}")
        rules[name] = _limit(name, limit) if limit else LIMITS[name].usual
    return [[name, limit] for name, limit in rules.items()]


def rules_as_text(rules: Iterable[Rule]) -> str:
    """The rules as `read_rules` reads them, in one line."""
    return " ".join(name if limit is None else f"{name}={limit:g}" for name, limit in rules)


def _limit(name: str, text: str) -> float:
    one = LIMITS[name]
    try:
        limit = float(text)
    except ValueError:
        limit = -1.0
    if one.usual is not None and f"{limit:g}" == f"{one.usual:g}":  # as it is shown
        return one.usual
    if one.refuses(limit):
        raise ValueError(f"{name}={text}: {_wanted(one)}")
    return limit


def _wanted(one: RuleLimit) -> str:
    if one.usual is None:
        return "this rule has no limit"
    low, high = (0.0, one.usual) if one.is_most else (one.usual, one.largest)
    return f"{one.of}: a number from {low if one.is_flag else 0:g} to {high if one.is_flag else one.largest:g}"
