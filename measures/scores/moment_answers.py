"""Answers that name a second of a clip, or nothing, and the times of the violation in its trajectory.

A clip without a violation has no window. Otherwise the window runs from the first state that violates physics to the
first from which a viewer can know; a report within half a second of the window is a hit. The error is measured from the
moment at which a viewer can know: an earlier right answer is a guess.
"""

import re
from collections.abc import Hashable
from dataclasses import dataclass

TOLERANCE = 0.5  # seconds
NOTHING_WRONG = "nothing"
SECONDS = re.compile(r"(\d{1,4}(?:\.\d{1,6})?)\s*(?:s|sec|secs|second|seconds)?\.?", re.ASCII | re.IGNORECASE)
PLAIN_SECONDS = re.compile(r"\d{1,4}(?:\.\d{1,6})?", re.ASCII)


@dataclass(frozen=True)
class Window:
    """The seconds at which a clip violates physics and at which a viewer can first know."""

    violating: float
    knowable: float

    def holds(self, seconds: float) -> bool:
        return self.violating - TOLERANCE <= seconds <= self.knowable + TOLERANCE


@dataclass(frozen=True)
class MomentAnswer:
    """One answer: the reported second (None = nothing), whether it was parsed, and the clip's window and cluster."""

    seconds: float | None
    window: Window | None
    cluster: Hashable
    is_read: bool = True
    person: str = ""  # the answering person; people and clips are both samples then
    press: float | None = None  # the second of the person's first press

    @property
    def is_hit(self) -> bool:
        return self.window is not None and self.seconds is not None and self.window.holds(self.seconds)


def moment_in(text: str) -> str | None:
    """`nothing`, or the seconds as a plain number; None for any other answer."""
    word = text.strip().strip("*_`\"'").strip().casefold().rstrip(".")
    if word == NOTHING_WRONG:
        return NOTHING_WRONG
    found = SECONDS.fullmatch(word)
    return f"{float(found[1]):g}" if found else None


def is_moment_within(answer: str, seconds: float) -> bool:
    """Whether the answer is a plain number of seconds within a clip of this length."""
    return PLAIN_SECONDS.fullmatch(answer) is not None and float(answer) <= seconds
