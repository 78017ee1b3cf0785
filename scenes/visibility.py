"""Computes each body's visible share in each state, and when a viewer can know of a violation.

`first_knowable` is the first state, from the violation on, in which a telltale body is seen again, or would be seen if
it were still there. `is_out_of_sight` is true if that body was not in view when physics was broken.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes.audit.auditing import breaks, telltales
from scenes.audit.verdict import Finding, Verdict
from scenes.rendering.mujoco_renderer import look_of
from scenes.rendering.segmentation import LARGE, Segmenter, Shares
from scenes.trajectory import Trajectory

# Tests that break physics behind an occluder, under a cover or behind a screen; the others do it in plain sight.
HIDING = frozenset(
    {
        "Unchangeableness",
        "Unchangeableness2",
        "SolidityContinuity",
        "SolidityContinuity2",
        "ObjectPermanence2",
        "ObjectPermanence",
        "GravityInertia",
        "Continuity",
        "GravityContinuity",
        "Inertia2",
    }
)
STRIDE = 5  # states: a tenth of a second
RECOGNISED = 0.25  # visible share that identifies a body, or half of its largest share if that is less
IN_SIGHT = 0.01  # visible share below which a body can't be identified: two or three pixels of a ball at 640 x 480


@dataclass(frozen=True)
class Sight:
    """The visibility of a clip's events; the two middle fields are None for a clip without a violation."""

    seen: NDArray[np.float16]  # states, bodies
    first_knowable: int | None
    is_out_of_sight: bool | None
    findings: tuple[Finding, ...] = ()


def observe(trajectory: Trajectory, verdict: Verdict) -> Sight:
    """View the trajectory through its own camera; a violation in view is a finding if the test should hide it."""
    segmenter = Segmenter(trajectory)
    seen = _seen(trajectory, segmenter)
    violation = verdict.violation_frame
    if violation is None:
        return Sight(seen, None, None)
    columns = telltales(trajectory, violation)
    is_hidden = _is_hidden(segmenter, columns, violation)
    known = _first_knowable(segmenter, seen, columns, violation)
    findings = []
    if trajectory.description.test in HIDING and not is_hidden:
        findings.append(Finding("hidden", "physics is broken in sight", violation))
    if known is None:
        findings.append(Finding("sight", "nobody can ever see that physics was broken", violation))
    return Sight(seen, known, is_hidden, tuple(findings))


def _is_hidden(segmenter: Segmenter, columns: tuple[int, ...], violation: int) -> bool:
    """Whether the violation is out of view; for a sudden change, in the state before it too.

    It is rendered large because a few pixels of a ball decide.
    """
    is_sudden = any(breaks(segmenter.trajectory, column)[violation] for column in columns)
    states = {violation, max(0, violation - 1)} if is_sudden else {violation}
    return all(segmenter.shares(state, LARGE)[list(columns)].max() < IN_SIGHT for state in states)


def _first_knowable(
    segmenter: Segmenter, seen: NDArray[np.float16], columns: tuple[int, ...], violation: int
) -> int | None:
    trajectory = segmenter.trajectory
    after = seen[violation:, columns].max(axis=1).astype(float)
    missing = ~trajectory.visible[violation:, columns].any(axis=1)
    for offset in np.flatnonzero(missing)[::2]:
        after[offset] = segmenter.shares(violation + int(offset), also=columns)[list(columns)].max()
    if after.max() == 0:
        return None
    return violation + int(np.argmax(after >= min(RECOGNISED, after.max() / 2)))


# --- visible shares over time ---


def _seen(trajectory: Trajectory, segmenter: Segmenter) -> NDArray[np.float16]:
    """Visible shares in every state: rendered for some of the distinct looks, interpolated linearly in between."""
    run = _runs(trajectory)
    first = np.unique(run, return_index=True)[1]  # a state for each distinct look
    shares_at = {int(look): segmenter.shares(int(first[look])) for look in _sampled(trajectory, run)}
    watched = np.array([body.role != "furniture" for body in trajectory.description.bodies])
    looks = sorted(shares_at)
    for start, end in itertools.pairwise(looks):
        _refine(shares_at, start, end, watched, lambda look: segmenter.shares(int(first[look])))
    looks = sorted(shares_at)
    known = np.array([shares_at[look] for look in looks])
    courses = [np.interp(run, looks, known[:, column]) for column in range(known.shape[1])]
    return np.stack(courses, axis=1).astype(np.float16)


def _runs(trajectory: Trajectory) -> NDArray[np.int64]:
    """The number of each state's look; it rises by one at every visible change."""
    looks = [look_of(trajectory, frame) for frame in range(len(trajectory))]
    changed = [False, *(now != before for before, now in itertools.pairwise(looks))]
    return np.cumsum(changed)


def _sampled(trajectory: Trajectory, run: NDArray[np.int64]) -> list[int]:
    """Looks to render: every fifth, the first and the last, and those around each sudden change of a body."""
    last = int(run[-1])
    chosen = {*range(0, last + 1, STRIDE), last}
    for column in range(trajectory.position.shape[1]):
        for state in np.flatnonzero(breaks(trajectory, column)):
            chosen |= {int(run[state - 1]), int(run[state])}
    return sorted(chosen)


def _refine(
    shares_at: dict[int, Shares], start: int, end: int, watched: NDArray[np.bool_], draw: Callable[[int], Shares]
) -> None:
    """Bisect until it is known in which look a body with a role comes into view or leaves it."""
    while end - start > 1:
        if not ((shares_at[start] > 0) != (shares_at[end] > 0))[watched].any():
            return
        middle = (start + end) // 2
        shares_at[middle] = draw(middle)
        _refine(shares_at, start, middle, watched, draw)
        start = middle
