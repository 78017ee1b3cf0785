"""Decoded frames on disk: kept by content, bounded in size, for any number of processes at once.

One file holds one clip under one sampler: a line of JSON (which frames, when, their shape and hash), then the pixels as
they lie in memory. A file appears by being renamed, so it is whole or not there. It goes by being unlinked, which does
not disturb who has it open. What was not read for longest goes first: reading a file sets its time. How much is kept
stands in one small file; whoever adds something books it there, makes room where there is none, and then writes, all
under one lock. So the bound holds whoever writes, and a process killed in between booked too much, never too little.
"""

import fcntl
import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from django.conf import settings

from evaluation.adapters.base import Frames

SUFFIX = ".frames"
AFTER_MAKING_ROOM = 0.9  # of the bound stays filled, so that room is not made for every clip anew
ABANDONED_AFTER = 600.0  # seconds; a file that is still being written after that has lost its writer

log = logging.getLogger(__name__)


def root() -> Path:
    return settings.VAR_DIR / "frames"


def bound() -> int:
    """Bytes that the cache may take."""
    return settings.FRAME_CACHE_MB * 1_000_000


def place_of(sha256: str, sampler: str) -> Path:
    """Where the frames of a file of this content are kept."""
    return root() / sha256[:2] / f"{sha256}-{sampler}{SUFFIX}"


def kept(place: Path) -> Frames | None:
    """The frames kept here, their pixels mapped from the file; None where there are none, or not all of them."""
    try:
        with place.open("rb") as file:
            facts = json.loads(file.readline())
            pixels = np.memmap(file, np.uint8, "r", file.tell(), tuple(facts.pop("shape")))
            with suppress(OSError):  # another user's file: it can be read, and goes sooner
                _was_used(file.fileno())
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Frames(np.asarray(pixels), tuple(facts.pop("indices")), tuple(facts.pop("times")), **facts)


def keep(place: Path, frames: Frames) -> None:
    """Keep these; what can't be kept, because it is too large or the disk is full, is only logged."""
    facts = {
        "shape": frames.pixels.shape, "indices": frames.indices, "times": frames.times, "digest": frames.digest,
        "duration_seconds": frames.duration_seconds, "fps": frames.fps,
    }  # fmt: skip
    head = json.dumps(facts).encode() + b"\n"
    size = len(head) + frames.pixels.nbytes
    if size > bound():
        log.warning("frames of %d MB are not kept: the whole cache is %d MB", size / 1e6, settings.FRAME_CACHE_MB)
        return
    try:
        with _ledger() as ledger:
            ledger.book(size)
            _write(place, head, frames.pixels)
    except OSError as error:
        log.warning("frames are not kept: %s", error)


def forget(sha256: str) -> None:
    """Remove everything that was decoded of a file of this content."""
    for path in (root() / sha256[:2]).glob(f"{sha256}-*"):
        path.unlink(missing_ok=True)


def remove_oldest(*, down_to: int) -> int:
    """Remove files, the least recently read first, until so many bytes are left; how many are."""
    files = sorted(_files(), key=lambda entry: entry[0])
    held = sum(size for _, size, _ in files)
    for _, size, path in files:
        if held <= down_to:
            break
        path.unlink(missing_ok=True)
        held -= size
    return held


def _files() -> Iterator[tuple[int, int, Path]]:
    """(last read in ns, bytes, path) of everything kept; what lost its writer is removed on the way."""
    for path in root().glob("*/*"):
        with suppress(FileNotFoundError, IsADirectoryError):
            facts = path.stat()
            if path.suffix != SUFFIX and time.time() - facts.st_mtime > ABANDONED_AFTER:
                path.unlink()
                continue
            yield facts.st_mtime_ns, facts.st_size, path


def _write(place: Path, head: bytes, pixels: np.ndarray) -> None:
    """All of the file or none of it, also when two processes write it at once."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=place.parent, prefix="part-", delete=False) as file:
        try:
            file.write(head)
            file.write(np.ascontiguousarray(pixels).data)
            file.flush()
            _was_used(file.fileno())
            os.replace(file.name, place)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _was_used(descriptor: int) -> None:
    """Set the file's time by the fine clock: the kernel's own stands still for milliseconds."""
    now = time.time_ns()
    os.utime(descriptor, ns=(now, now))


class _Ledger:
    """The number of bytes that are kept or about to be; always twenty digits, so that a write is never half done."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def book(self, size: int) -> None:
        """Add so many bytes, after removing what was not read for longest where there is no room for them."""
        held = self._read()
        if held is None or held + size > bound():
            held = remove_oldest(down_to=max(0, int(AFTER_MAKING_ROOM * bound()) - size))
        self._write(held + size)

    def _read(self) -> int | None:
        text = os.pread(self.descriptor, 20, 0)
        return int(text) if len(text) == 20 and text.isdigit() else None

    def _write(self, held: int) -> None:
        os.pwrite(self.descriptor, f"{held:020}".encode(), 0)


@contextmanager
def _ledger() -> Iterator[_Ledger]:
    """The ledger under its lock, which ends with the process that holds it."""
    root().mkdir(parents=True, exist_ok=True)
    descriptor = os.open(root() / "held", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield _Ledger(descriptor)
    finally:
        os.close(descriptor)
