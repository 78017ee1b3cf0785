"""The frames of a clip that a model sees: decoded once for all models, cached by content, and never incomplete."""

import hashlib
import random
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.definitions.definition import AUDIO_ONLY, SOUND
from benchmarks.encoding.frames import LONGEST_SIDE, evenly_spaced
from benchmarks.models import Clip
from benchmarks.storage.access import decodable, is_stored
from evaluation.adapters.base import Frames
from evaluation.errors import ClipUnreadable, RunMisused
from evaluation.inputs import frame_cache

if TYPE_CHECKING:
    from benchmarks.encoding.frames import ClipFrame

DEFAULT_SAMPLER = "uniform-8"
MOST_FRAMES = 256

SINGLE: dict[str, Callable[[int], int]] = {
    "first": lambda total: 0,
    "middle": lambda total: total // 2,
    "last": lambda total: total - 1,
}
SAMPLER_OF_CONDITION = {"first-frame": "first", "middle-frame": "middle", "last-frame": "last"}
WITHOUT_FRAMES = ("text", "question-only", AUDIO_ONLY)
CONDITIONS = ("video", *SAMPLER_OF_CONDITION, "shuffled-frames", *WITHOUT_FRAMES, *SOUND)  # for sound see audio.py
SAMPLER_VERSION = 2  # 2: frames evenly spaced in time; 1: by their number
SAMPLER_NAMES = "uniform-N (N from 1 to 256), first, middle, last"
_BUSY = tuple(threading.Lock() for _ in range(64))  # every clip always maps to the same one of these locks


def check_sampler(name: str) -> str:
    """Return the name if a sampler has it, else raise RunMisused."""
    match = re.fullmatch(r"uniform-([1-9]\d{0,2})", name)
    if name in SINGLE or (match and int(match[1]) <= MOST_FRAMES):
        return name
    raise RunMisused(f"unknown sampler {name!r}: there are {SAMPLER_NAMES}")


def versioned(sampler: str) -> str:
    """The sampler's name and version, "" for none: runs with the same got the same frames of the same clip."""
    return f"{sampler} {SAMPLER_VERSION}" if sampler else ""


def is_single(sampler: str) -> bool:
    """Whether this sampler takes a single frame of a clip."""
    return sampler in SINGLE or sampler == "uniform-1"


def wanted_frames(sampler: str, times: Sequence[float]) -> tuple[int, ...]:
    """The numbers of the frames to take, of a clip with frames at these times; see `evenly_spaced`."""
    check_sampler(sampler)
    if sampler in SINGLE:
        return (SINGLE[sampler](len(times)),)
    return evenly_spaced(int(sampler.removeprefix("uniform-")), times)


def frames_for(clip: Clip, *, sampler: str, condition: str, seed: int, key: str) -> Frames | None:
    """The frames that this condition shows of the clip for item `key` and the run's seed; None if it shows none."""
    if condition in WITHOUT_FRAMES:
        return None
    frames = frames_of(clip, sampler_of(condition, sampler))
    return shuffled(frames, seed=seed, key=key) if condition == "shuffled-frames" else frames


def sampler_of(condition: str, sampler: str) -> str:
    """The sampler used for decoding: a condition with a single frame has its own."""
    return SAMPLER_OF_CONDITION.get(condition, sampler)


def frames_of(clip: Clip, sampler: str = DEFAULT_SAMPLER, threads: int | None = None) -> Frames:
    """The sampled frames, from the cache or decoded into it; raises ClipUnreadable rather than return fewer."""
    if clip.problem or clip.withdrawn_at:
        raise ClipUnreadable(clip.problem or "the clip was withdrawn")
    place = place_of(clip, sampler)
    if found := frame_cache.cached_frames(place):
        return found
    with _BUSY[hash(place) % len(_BUSY)]:  # if two threads want the clip, one decodes and the other waits
        return frame_cache.cached_frames(place) or _decode(clip, sampler, place, threads)


def decoded(clip: Clip, sampler: str, threads: int | None = None) -> "list[ClipFrame]":
    """The sampled frames, decoded by so many threads; raises ClipUnreadable rather than return fewer."""
    from benchmarks.encoding.frames import THREADS, frames

    def wanted(times: Sequence[float]) -> tuple[int, ...]:
        if len(times) != clip.frames:
            raise ClipUnreadable(f"the clip's file has {len(times)} frames: at its import there were {clip.frames}")
        return wanted_frames(sampler, times)

    try:
        return list(frames(decodable(clip), wanted, threads=threads or THREADS))
    except (OSError, ValueError) as error:
        raise ClipUnreadable(f"the clip can't be opened: {getattr(error, 'strerror', '') or error}") from error


def _decode(clip: Clip, sampler: str, place: Path, threads: int | None) -> Frames:
    taken = decoded(clip, sampler, threads)
    pixels = np.stack([one.picture for one in taken])
    indices, times = tuple(one.index for one in taken), tuple(one.seconds for one in taken)
    frames = Frames(pixels, indices, times, digest_of(pixels), clip.seconds, clip.fps)
    frame_cache.cache_frames(place, frames)
    if not is_stored(clip):  # the clip was withdrawn meanwhile, perhaps after its cached frames were removed
        forget(clip)
        raise ClipUnreadable("the clip was withdrawn")
    return frames


def place_of(clip: Clip, sampler: str) -> Path:
    """The cache path for this sampler's frames of the clip, at the current size."""
    return frame_cache.place_of(clip.sha256, f"{sampler}-{SAMPLER_VERSION}-{LONGEST_SIDE}px")


def shuffled(frames: Frames, *, seed: int, key: str) -> Frames:
    """The frames in an order drawn by seed and item, never the original one.

    Raises ClipUnreadable if all frames are equal, so that no other order exists.
    """
    if len(set(frames.indices)) < 2:
        raise ClipUnreadable("the clip gives a single picture, whose order can't be changed")
    order, draw = list(range(len(frames))), random.Random(f"{seed}:{key}:shuffled-frames")  # noqa: S311
    while tuple(frames.indices[place] for place in order) == frames.indices:
        draw.shuffle(order)
    pixels = frames.pixels[order]
    indices = tuple(frames.indices[place] for place in order)
    times = tuple(frames.times[place] for place in order)
    return Frames(pixels, indices, times, digest_of(pixels), frames.duration_seconds, frames.fps)


def forget(clip: Clip) -> None:
    """Remove the cached frames of a clip that may no longer be shown."""
    frame_cache.forget(clip.sha256)


def digest_of(pixels: np.ndarray) -> str:
    """SHA-256 over shape and pixels."""
    digest = hashlib.sha256(repr(pixels.shape).encode())
    digest.update(np.ascontiguousarray(pixels).data)  # no copy: it would take longer than the hash
    return digest.hexdigest()
