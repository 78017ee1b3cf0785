"""When did it break? Answers that name a second of a clip, or nothing, against the moments that its trajectory tells.

A clip without a violation has no window. Otherwise the window runs from the first state that violates physics to the
first from which a viewer can know; a report within half a second of it is a hit. The error is counted from the moment
at which a viewer can know: before it, a right answer is a guess.
"""

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np

from measures.intervals import Interval, clustered
from measures.signal_detection import detection

TOLERANCE = 0.5  # seconds
NOTHING_WRONG = "nothing"
SECONDS = re.compile(r"(\d{1,4}(?:\.\d{1,6})?)\s*(?:s|sec|secs|second|seconds)?\.?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class Window:
    """The seconds at which a clip violates physics and at which a viewer can first know."""

    violating: float
    knowable: float

    def holds(self, seconds: float) -> bool:
        return self.violating - TOLERANCE <= seconds <= self.knowable + TOLERANCE


@dataclass(frozen=True)
class MomentAnswer:
    """One answer: the second reported (None = nothing), whether it was read, and the clip's window and cluster."""

    seconds: float | None
    window: Window | None
    cluster: Hashable
    is_read: bool = True

    @property
    def is_hit(self) -> bool:
        return self.window is not None and self.seconds is not None and self.window.holds(self.seconds)


@dataclass(frozen=True)
class MomentFigures:
    """Shares are 0 to 1 with their intervals; errors in seconds, over the reports on clips with a violation."""

    n: int
    violations: int
    hits: float | None
    hits_interval: Interval | None
    alarms: float | None  # reports on clips without a violation
    alarms_interval: Interval | None
    reports: int  # on clips with a violation
    error: float | None  # the median distance from the knowable moment
    lead: float | None  # the mean signed distance: above 0 late, below 0 before anybody could know
    d_prime: float | None  # a report of any second against nothing
    criterion: float | None
    unread: float


def moment_in(text: str) -> str | None:
    """`nothing`, or the seconds as a plain number; None for anything else."""
    said = text.strip().strip("*_`\"'").strip().casefold().rstrip(".")
    if said == NOTHING_WRONG:
        return NOTHING_WRONG
    found = SECONDS.fullmatch(said)
    return f"{float(found[1]):g}" if found else None


def figures_of_moments(answers: Sequence[MomentAnswer]) -> MomentFigures | None:
    """The figures of these answers; None without any. What could not be read is no hit and no report."""
    if not answers:
        return None
    broken = [one for one in answers if one.window]
    sound = [one for one in answers if not one.window]
    reported = [one for one in broken if one.seconds is not None]
    late = [one.seconds - one.window.knowable for one in reported if one.window and one.seconds is not None]
    alarms = [one.seconds is not None for one in sound]
    found = detection(len(reported), len(broken), sum(alarms), len(sound))
    hits, hits_interval = _share([one.is_hit for one in broken], broken)
    false_alarms, alarms_interval = _share(alarms, sound)
    return MomentFigures(
        n=len(answers),
        violations=len(broken),
        hits=hits,
        hits_interval=hits_interval,
        alarms=false_alarms,
        alarms_interval=alarms_interval,
        reports=len(reported),
        error=median(map(abs, late)) if late else None,
        lead=fmean(late) if late else None,
        d_prime=found.d_prime if found else None,
        criterion=found.criterion if found else None,
        unread=sum(not one.is_read for one in answers) / len(answers),
    )


def _share(values: Sequence[bool], answers: Sequence[MomentAnswer]) -> tuple[float | None, Interval | None]:
    if not values:
        return None, None
    labels = np.unique([str(one.cluster) for one in answers], return_inverse=True)[1]
    return sum(values) / len(values), clustered([float(value) for value in values], labels)
