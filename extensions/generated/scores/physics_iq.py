"""Physics-IQ's four measures of a clip beside two takes of what really happened, and its two scores.

After Motamed et al. 2025 (arXiv 2501.09038) and the benchmark's own program, whose steps and constants these are. The
first take is a prompt's reference, the second the clip that a ceiling has for the prompt.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.encoding.frames import ClipFrame, frames
from benchmarks.encoding.probe import UnreadableMedia
from benchmarks.storage.store import store
from extensions.generated.models import ClipSet, ClipSetState, GeneratedClip, GeneratorRole

GREY = np.array([0.299, 0.587, 0.114])
BLUR = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16
KEPT, MOVED, SQUARE = 0.7, 10, 5  # of the running mean a frame; grey levels; pixels of opening and closing
TINY = 1e-8
SAME_RATE = 0.01
LARGEST = 4096  # pixels of a side: as it is
FACT = "physics_iq"
MEASURE = "extensions.generated.tasks.measure_clip_set"

Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]


class MotionMeasures(NamedTuple):
    """How alike two clips of one scene move: three overlaps from 0 to 1, and the mean squared difference of pixels."""

    spatial: float
    spatiotemporal: float
    weighted: float
    mse: float


@dataclass(frozen=True)
class Motion:
    """A clip at a quarter of its size: its pictures from 0 to 1 (t × y × x × 3), and where it moves (t × y × x)."""

    pictures: Numbers
    masks: Mask
    rate: float  # pictures a second


def motion_of(path: Path) -> Motion:
    """Raises UnreadableMedia for a file that is no clip."""
    quarters = list(_quarters(frames(path, lambda seconds: range(len(seconds)), longest=LARGEST)))
    if len(quarters) < 2:
        raise UnreadableMedia("is no moving picture")
    seconds, pictures, masks = zip(*quarters, strict=True)
    return Motion(np.stack(pictures), np.stack(masks), (len(pictures) - 1) / (seconds[-1] - seconds[0]))


def _quarters(pictures: Iterable[ClipFrame]) -> Iterator[tuple[float, Numbers, Mask]]:
    first, second = tee(pictures)
    for frame, mask in zip(first, _masks(frame.picture @ GREY for frame in second), strict=True):
        small = np.round(_quarter(frame.picture.astype(float)))
        yield frame.seconds, (small / 255).astype(np.float32), _quarter(255.0 * mask) > 127


def _masks(greys: Iterable[Numbers]) -> Iterator[Numbers]:
    """Where each picture differs from the running mean of those before and itself; the first one has no motion."""
    mean: Numbers | None = None
    for grey in greys:
        blurred = np.round(_blurred(np.round(grey)))
        if mean is None:
            mean = blurred
            yield np.zeros_like(grey)
            continue
        mean = KEPT * mean + (1 - KEPT) * blurred
        moves = np.abs(blurred - np.round(mean)) > MOVED
        opened = _grown(~_grown(~moves))
        yield (~_grown(~_grown(opened))).astype(float)  # closed


def _blurred(picture: Numbers) -> Numbers:
    for axis in (0, 1):
        padded = np.pad(picture, [(2, 2) if each == axis else (0, 0) for each in (0, 1)], "reflect")
        size = picture.shape[axis]
        picture = sum(weight * padded.take(range(place, place + size), axis) for place, weight in enumerate(BLUR))
    return picture


def _grown(mask: Mask) -> Mask:
    """Every pixel with one of these within a square around it."""
    half = SQUARE // 2
    for axis in (0, 1):
        padded = np.pad(mask, [(half, half) if each == axis else (0, 0) for each in (0, 1)])
        size = mask.shape[axis]
        mask = np.any([padded.take(range(place, place + size), axis) for place in range(SQUARE)], axis=0)
    return mask


def _quarter(picture: Numbers) -> Numbers:
    """A fourth of each side, as bilinear sampling takes it: the mean of the middle of each square of four."""
    height, width = (size // 4 * 4 for size in picture.shape[:2])
    whole = picture[:height, :width]
    rows = (whole[1::4] + whole[2::4]) / 2
    found: Numbers = (rows[:, 1::4] + rows[:, 2::4]) / 2
    return found


def measures(first: Motion, second: Motion) -> MotionMeasures:
    """The four measures over the pictures that both have; UnreadableMedia if their sizes or rates differ."""
    length = min(len(first.masks), len(second.masks))
    if first.masks.shape[1:] != second.masks.shape[1:] or abs(first.rate / second.rate - 1) > SAME_RATE:
        raise UnreadableMedia("has another size or rate than the reference")
    one, other = first.masks[:length], second.masks[:length]
    weights = one.mean(axis=0), other.mean(axis=0)
    return MotionMeasures(
        _overlap(one.max(axis=0), other.max(axis=0)),
        float(np.mean([_overlap(*both) for both in zip(one, other, strict=True)])),
        _share(np.minimum(*weights).sum(), np.maximum(*weights).sum()),
        float(np.square(first.pictures[:length] - second.pictures[:length]).mean()),
    )


def _overlap(one: Mask, other: Mask) -> float:
    return _share((one & other).sum(), (one | other).sum())


def _share(part: float, whole: float) -> float:
    """1 if there is no motion in either."""
    return float(part / whole) if whole else 1.0


def original_score(found: Sequence[MotionMeasures], variances: Sequence[MotionMeasures]) -> float:
    """Out of 100, from the means over all clips: the mean ratio of the overlaps, minus the excess of the difference."""
    seen, known = (np.mean(each, axis=0) for each in (found, variances))
    return float(100 * np.clip((seen[:3] / np.maximum(known[:3], TINY)).mean() - (seen[3] - known[3]), 0, 1))


def verified_score(found: Sequence[MotionMeasures], variances: Sequence[MotionMeasures]) -> float:
    """Out of 100, the mean over clips of four ratios of at most 1; 100: as near to a take as the other take is."""
    seen, known = (np.array(each) for each in (found, variances))
    ratios = seen / (known + TINY)
    ratios[:, 3] = 1 / np.maximum(ratios[:, 3], TINY)
    return float(100 * np.clip(ratios, 0, 1).mean())


def measure_set(clip_set: ClipSet) -> int:
    """Store the measures of each clip that has both takes in its facts; returns of how many."""
    ceilings = GeneratedClip.objects.filter(
        clip_set__pack=clip_set.pack,
        clip_set__state=ClipSetState.LISTED,
        clip_set__generator__role=GeneratorRole.CEILING,
    )
    second = {clip.prompt_id: clip for clip in ceilings.select_related("clip_set").order_by("-pk")}
    done = 0
    for clip in clip_set.clips.exclude(prompt__reference="").select_related("prompt", "clip_set").order_by("pk"):
        other = second.get(clip.prompt_id)
        clip.facts[FACT] = _measured(clip, other) if other else {"problem": "there is no second take"}
        clip.save(update_fields=["facts"])
        done += "mse" in clip.facts[FACT]
    return done


def _measured(clip: GeneratedClip, other: GeneratedClip) -> dict[str, Any]:
    try:
        own, first, again = (
            motion_of(store().local(name)) for name in (clip.stored, clip.prompt.reference, other.stored)
        )
        return measures(first, own)._asdict() | {"variance": measures(first, again)._asdict()}
    except UnreadableMedia as unreadable:
        return {"problem": str(unreadable)[:200]}


def unmeasured() -> list[int]:
    """Listed sets with references whose clips were not measured."""
    listed = ClipSet.objects.filter(state=ClipSetState.LISTED, pack__prompts__reference__gt="").distinct()
    packs = listed.filter(generator__role=GeneratorRole.CEILING).values("pack")
    sets = listed.filter(pack__in=packs).order_by("pk")
    return [one.pk for one in sets if not one.clips.filter(**{f"facts__{FACT}__isnull": False}).exists()]


def lines_of(sets: Iterable[ClipSet]) -> Iterator[dict[str, Any]]:
    """Each set's means and scores; a set without measured clips has no line."""
    names = MotionMeasures._fields
    for one in sets:
        facts = [clip.facts.get(FACT) or {} for clip in one.clips.order_by("pk")]
        known = [fact for fact in facts if "mse" in fact]
        if known:
            found = [MotionMeasures(*(fact[name] for name in names)) for fact in known]
            variances = [MotionMeasures(*(fact["variance"][name] for name in names)) for fact in known]
            means = {name: float(np.mean([fact[name] for fact in known])) for name in names}
            scores = {"original": original_score(found, variances), "verified": verified_score(found, variances)}
            yield {"title": one.title, "n": len(known), "missing": len(facts) - len(known)} | means | scores
