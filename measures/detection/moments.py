"""Figures of answers that name a second of a clip, or nothing: hits, errors, false alarms."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray

from measures.detection.roc import detection
from measures.estimate.answers import share_of
from measures.estimate.people import figure_of_answers
from measures.figures import Interval
from measures.scores.moment_answers import MomentAnswer
from measures.shares.intervals import two_way_mean


@dataclass(frozen=True)
class MomentFigures:
    """Shares are 0 to 1 with their intervals; errors are in seconds, over the reports on clips with a violation."""

    n: int
    violations: int
    hits: float | None
    hits_interval: Interval | None
    alarms: float | None  # reports on clips without a violation
    alarms_interval: Interval | None
    reports: int  # on clips with a violation
    error: float | None  # the median distance from the knowable moment
    lead: float | None  # the mean signed distance: above 0 late, below 0 before anybody could know
    d_prime: float | None  # reports of any second against "nothing"
    criterion: float | None
    unread: float
    lead_interval: Interval | None = None  # None with fewer than two clips, or people
    press: float | None = None  # the mean signed distance of first presses on clips with a violation
    press_interval: Interval | None = None
    presses: int = 0


def figures_of_moments(answers: Sequence[MomentAnswer]) -> MomentFigures | None:
    """The figures of these answers; None without answers. An unparsed answer is no hit and no report."""
    if not answers:
        return None
    broken, sound = [one for one in answers if one.window], [one for one in answers if not one.window]
    reported = [one for one in broken if one.seconds is not None]
    late = [one.seconds - one.window.knowable for one in reported if one.window and one.seconds is not None]
    pressed = [one for one in broken if one.press is not None]
    presses = [one.press - one.window.knowable for one in pressed if one.window and one.press is not None]
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
        lead_interval=_mean_interval(late, reported),
        press=fmean(presses) if presses else None,
        press_interval=_mean_interval(presses, pressed),
        presses=len(presses),
    )


def _share(values: Sequence[bool], answers: Sequence[MomentAnswer]) -> tuple[float | None, Interval | None]:
    if not values:
        return None, None
    persons, clips = _labels(answers)
    shares = [float(value) for value in values]
    figure = share_of(shares, clips) if persons is None else figure_of_answers(shares, persons, clips)
    return figure.score, figure.interval


def _mean_interval(values: Sequence[float], answers: Sequence[MomentAnswer]) -> Interval | None:
    """The interval of a mean over clips, or over people and clips; None if there are too few."""
    if len(values) < 2:
        return None
    persons, clips = _labels(answers)
    return two_way_mean(values, clips if persons is None else persons, clips)


def _labels(answers: Sequence[MomentAnswer]) -> tuple[NDArray[np.intp] | None, NDArray[np.intp]]:
    """Numbers of people (None for models), and of clips."""
    clips = np.unique([str(answer.cluster) for answer in answers], return_inverse=True)[1]
    if not all(one.person for one in answers):
        return None, clips
    return np.unique([one.person for one in answers], return_inverse=True)[1], clips
