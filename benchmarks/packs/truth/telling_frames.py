"""The seconds in which a clip of Level 2 shows whether it is possible, because it looks different from its twin.

Computed from both trajectories: a body in view in one of them is elsewhere, gone or of another colour in the other.
Clips without a twin or a trajectory have no result.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from django.core.cache import cache
from numpy.typing import NDArray

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Clip, Pack
from benchmarks.packs.truth.ground_truth import UNREADABLE
from benchmarks.storage.store import store
from measures.scores.moment_answers import Window
from scenes.trajectory import Trajectory


def window_of(facts: Mapping[str, Any]) -> Window | None:
    """The time window in a clip's facts; None for a clip without a violation or without known times."""
    violating, knowable = facts.get("first_violation"), facts.get("first_knowable")
    if not violating or not knowable:
        return None
    return Window(float(violating["seconds"]), float(knowable["seconds"]))


IN_SIGHT = 0.01  # share of a body's pixels below which it counts as out of sight, as in scenes/visibility.py
ELSEWHERE = 0.02  # metres
RECOLOURED = 0.02

Spans = list[tuple[float, float]]  # seconds, both ends included


def telling_spans(pack: Pack) -> dict[int, Spans]:
    """The telling seconds of each clip by pk, computed once for a pack's content."""
    return cache.get_or_set(f"telling:{pack.pk}:{pack.manifest_hash}", lambda: _computed(pack), timeout=None) or {}


def has_telling_frame(times: Iterable[float], spans: Spans) -> bool:
    """Whether one of these times lies in a span in which the clips differ."""
    return any(start <= time <= end for time in times for start, end in spans)


def _computed(pack: Pack) -> dict[int, Spans]:
    benchmark = BENCHMARKS.get(pack.benchmark)
    twin_key = benchmark.twin_key if benchmark else None
    if twin_key is None:
        return {}
    clips = {clip.key: clip for clip in pack.clips.exclude(trajectory="").only("key", "trajectory", "pack")}
    pairs = ((clip, clips.get(twin_key(key))) for key, clip in clips.items())
    found: dict[int, Spans] = {}
    for first, second in pairs:
        if second and first.pk not in found and (spans := _spans_of_pair(first, second)) is not None:
            found[first.pk] = found[second.pk] = spans
    return found


def _spans_of_pair(first: Clip, second: Clip) -> Spans | None:
    """The telling seconds of two twins; None if their trajectories can't be compared."""
    try:
        one, other = (Trajectory.load(store().local(clip.trajectory)) for clip in (first, second))
    except UNREADABLE:
        return None
    if one.position.shape != other.position.shape:
        return None
    return spans_in(one.time, telling_states(one, other))


def telling_states(one: Trajectory, other: Trajectory) -> NDArray[np.bool_]:
    """The states in which the twins look different."""
    moved = np.abs(one.position.astype(float) - other.position).max(axis=2) > ELSEWHERE
    recoloured = np.abs(one.colour - other.colour).max(axis=2) > RECOLOURED
    differs = moved | recoloured | (one.visible != other.visible)
    return (differs & (_in_view(one) | _in_view(other))).any(axis=1)


def _in_view(trajectory: Trajectory) -> NDArray[np.bool_]:
    return trajectory.visible if trajectory.seen is None else trajectory.visible & (trajectory.seen >= IN_SIGHT)


def spans_in(times: Sequence[float] | NDArray[np.float64], mask: NDArray[np.bool_]) -> Spans:
    """The first and last second of each run of states."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return [(float(times[start]), float(times[end - 1])) for start, end in zip(edges[::2], edges[1::2], strict=True)]
