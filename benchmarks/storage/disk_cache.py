"""A disk cache: a folder of limited size, shared by any number of processes.

A file appears by a rename, so it is complete or absent. It is removed by unlink, which does not disturb readers that
have it open. The least recently read file is removed first: reading a file sets its mtime. One small file, the ledger,
holds the total size; a writer books its bytes there, removes files if needed and then adds its own, all under one lock.
So the bound always holds: a process killed in between has booked too much, never too little.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

AFTER_MAKING_ROOM = 0.9  # share of the bound that stays filled, so that not every new file triggers a removal
ABANDONED_AFTER = 600.0  # seconds; the writer of an unfinished file older than this is gone
UNFINISHED = "part-"  # prefix of files that are still being written


@dataclass(frozen=True)
class BoundedFolder:
    """Files two levels below `root`, together at most `bound` bytes."""

    root: Callable[[], Path]
    bound: Callable[[], int]

    @contextmanager
    def room_for(self, size: int) -> Iterator[None]:
        """Hold the folder's lock, with `size` bytes booked and enough old files removed."""
        with self._ledger() as ledger:
            held = _read(ledger)
            if held is None or held + size > self.bound():
                held = self.remove_oldest(down_to=max(0, int(AFTER_MAKING_ROOM * self.bound()) - size))
            os.pwrite(ledger, f"{held + size:020}".encode(), 0)
            yield

    def remove_oldest(self, *, down_to: int) -> int:
        """Remove the least recently read files until at most `down_to` bytes are left; return the bytes left."""
        files = sorted(self._files(), key=lambda entry: entry[0])
        held = sum(size for _, size, _ in files)
        for _, size, path in files:
            if held <= down_to:
                break
            path.unlink(missing_ok=True)
            held -= size
        return held

    def _files(self) -> Iterator[tuple[int, int, Path]]:
        """Yield (last read in ns, bytes, path) of every file; remove abandoned files on the way."""
        for path in self.root().glob("*/*"):
            with suppress(FileNotFoundError, IsADirectoryError):
                facts = path.stat()
                if path.name.startswith(UNFINISHED) and time.time() - facts.st_mtime > ABANDONED_AFTER:
                    path.unlink()
                    continue
                yield facts.st_mtime_ns, facts.st_size, path

    @contextmanager
    def _ledger(self) -> Iterator[int]:
        """Yield the ledger's descriptor, locked; the lock ends with its process."""
        self.root().mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.root() / "held", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)


def was_used(file: int | Path) -> None:
    """Set the file's mtime from the precise clock, since the kernel's own file time has steps of milliseconds."""
    now = time.time_ns()
    os.utime(file, ns=(now, now))


def _read(ledger: int) -> int | None:
    """Bytes booked in the ledger, or None; always twenty digits, so that no write is partial."""
    text = os.pread(ledger, 20, 0)
    return int(text) if len(text) == 20 and text.isdigit() else None
