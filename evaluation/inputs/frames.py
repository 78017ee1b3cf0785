"""The frames of a clip that a model sees: decoded once for all models, cached by content, and never incomplete.

The clips of the next questions are decoded into the cache while the model answers. Where an item has a box, a red box
marks the object in question on the clip's middle frame.
"""

import bisect
import hashlib
import os
import random
import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from django.conf import settings

from benchmarks.definitions.definition import AUDIO_ONLY, SOUND
from benchmarks.encoding.boxes import Box, scaled
from benchmarks.encoding.even_frames import LONGEST_SIDE, evenly_spaced
from benchmarks.models import Clip
from benchmarks.storage.access import decodable, is_stored
from benchmarks.storage.renditions import box_of
from evaluation.adapters.base import BoundingBox, Frames
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
NICER = 10  # than the model's threads: decoding takes the time that they leave
RED = (255, 0, 0)
LINE = 2  # pixels of a box, as PACS draws it
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
        frame_cache.forget(clip.sha256)
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


def digest_of(pixels: np.ndarray) -> str:
    """SHA-256 over shape and pixels."""
    digest = hashlib.sha256(repr(pixels.shape).encode())
    digest.update(np.ascontiguousarray(pixels).data)  # no copy: it would take longer than the hash
    return digest.hexdigest()


def step_back() -> None:
    """Let the threads of the model go before the calling one; only Linux gives a thread its own priority."""
    if sys.platform == "linux":
        own = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, own, min(19, os.getpriority(os.PRIO_PROCESS, own) + NICER))


class DecodeAhead:
    """Threads that fill the cache without touching the database: the clips' files are looked up in advance.

    Each thread holds the frames of one clip at a time, and calling `start` again only extends the queue: memory does
    not grow with the number of clips. `shards` are the last two whose clips were queued.
    """

    def __init__(self, sampler: str) -> None:
        self.sampler = sampler
        self._pool = ThreadPoolExecutor(settings.DECODE_THREADS, "decode ahead", step_back)
        self._going: list[Future[None]] = []
        self.shards: deque[int] = deque(maxlen=2)

    def __enter__(self) -> "DecodeAhead":
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def start(self, clips: Iterable[Clip]) -> None:
        """Queue these clips for decoding; a clip shared by several items is decoded once."""
        different = {clip.sha256: clip for clip in clips}
        self._going = [going for going in self._going if not going.done()]
        self._going += [self._pool.submit(self._decode, clip) for clip in different.values()]

    def wait(self) -> None:
        """Wait until every queued clip is in the cache."""
        for going in self._going:
            going.result()

    def _decode(self, clip: Clip) -> None:
        with suppress(ClipUnreadable):  # the error is reported when the item itself is asked
            frames_of(clip, self.sampler, threads=1)  # of several clips at once, which takes a fifth less time in all


def boxed(frames: Frames, clip: Clip, *, condition: str) -> Frames:
    """The frames including the clip's middle frame with its box drawn; unchanged if the clip has no box.

    The box applies only to the middle frame. If that frame is missing, it is inserted at its time, or at the end of
    shuffled frames. A condition that shows a single other frame shows it without a box.
    """
    box, middle = box_of(clip), clip.frames // 2
    if box is None or (len(frames) == 1 and frames.indices != (middle,)):
        return frames
    indices, times = frames.indices, frames.times
    if is_extra := middle not in indices:
        taken = frames_of(clip, "middle")
        place = len(frames) if condition == "shuffled-frames" else bisect.bisect(indices, middle)
        pixels = np.insert(np.asarray(frames.pixels), place, taken.pixels[0], axis=0)
        indices = (*indices[:place], middle, *indices[place:])
        times = (*times[:place], taken.times[0], *times[place:])
    else:
        place, pixels = indices.index(middle), np.array(frames.pixels)
    height, width = pixels.shape[1:3]
    mark = BoundingBox(
        place, scaled(box, reference=(clip.width, clip.height), to=(width, height)), pixels[place].copy(), is_extra
    )
    draw(pixels[place], mark.box)
    return Frames(pixels, indices, times, digest_of(pixels), frames.duration_seconds, frames.fps, mark)


def draw(picture: np.ndarray, box: Box) -> None:
    """Draw the box into the picture [height, width, 3], with its lines inside the box's edges."""
    left, top, right, bottom = box
    for rows in (slice(top, top + LINE), slice(bottom - LINE, bottom)):
        picture[rows, left:right] = RED
    for columns in (slice(left, left + LINE), slice(right - LINE, right)):
        picture[top:bottom, columns] = RED
