"""Decoded frames cached on disk, keyed by content and bounded in size, for any number of processes.

A file holds one clip under one sampler: a line of JSON (frame numbers, times, shape, hash), then the raw pixels.
benchmarks/storage/disk_cache.py explains how the folder stays within its bound.
"""

import json
import logging
import os
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from django.conf import settings

from benchmarks.storage.disk_cache import UNFINISHED, BoundedFolder, was_used
from evaluation.adapters.base import Frames

SUFFIX = ".frames"

log = logging.getLogger(__name__)


def root() -> Path:
    return settings.VAR_DIR / "frames"


def bound() -> int:
    """The maximum size of the cache in bytes."""
    return settings.CACHE_MB * 1_000_000


FOLDER = BoundedFolder(root, bound)


def place_of(sha256: str, sampler: str) -> Path:
    """The path for the frames of a file with this content."""
    return root() / sha256[:2] / f"{sha256}-{sampler}{SUFFIX}"


def cached_frames(place: Path) -> Frames | None:
    """The cached frames, memory-mapped; None if they are missing or incomplete."""
    try:
        with place.open("rb") as file:
            facts = json.loads(file.readline())
            pixels = np.memmap(file, np.uint8, "r", file.tell(), tuple(facts.pop("shape")))
            with suppress(OSError):  # another user's file: readable, but evicted sooner
                was_used(file.fileno())
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Frames(np.asarray(pixels), tuple(facts.pop("indices")), tuple(facts.pop("times")), **facts)


def cache_frames(place: Path, frames: Frames) -> None:
    """Cache these frames; if they are too large or the disk is full, only log it."""
    facts = {
        "shape": frames.pixels.shape,
        "indices": frames.indices,
        "times": frames.times,
        "digest": frames.digest,
        "duration_seconds": frames.duration_seconds,
        "fps": frames.fps,
    }
    head = json.dumps(facts).encode() + b"\n"
    size = len(head) + frames.pixels.nbytes
    if size > bound():
        log.warning("frames of %d MB are not cached: the whole cache has %d MB", size / 1e6, settings.CACHE_MB)
        return
    try:
        with FOLDER.room_for(size):
            _write(place, head, frames.pixels)
    except OSError as error:
        log.warning("frames are not cached: %s", error)


def forget(sha256: str) -> None:
    """Remove all cached frames of a file with this content, which may no longer be shown."""
    for path in (root() / sha256[:2]).glob(f"{sha256}-*"):
        path.unlink(missing_ok=True)


def _write(place: Path, head: bytes, pixels: np.ndarray) -> None:
    """Write the whole file or nothing, even if two processes write it at once."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=place.parent, prefix=UNFINISHED, delete=False) as file, ExitStack() as at_the_end:
        at_the_end.callback(Path(file.name).unlink, missing_ok=True)
        file.write(head)
        file.write(np.ascontiguousarray(pixels).data)
        file.flush()
        was_used(file.fileno())
        os.replace(file.name, place)
