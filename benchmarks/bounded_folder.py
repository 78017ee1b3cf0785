"""A folder of files that can be had again, bounded in size, for any number of processes at once.

A file appears by being renamed, so it is whole or not there. It goes by being unlinked, which does not disturb who has
it open. What was not read for longest goes first: reading a file sets its time. How much is kept stands in one small
file; whoever adds something books it there, makes room where there is none, and then puts it there, all under one lock.
So the bound holds whoever writes, and a process killed in between booked too much, never too little.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

AFTER_MAKING_ROOM = 0.9  # of the bound stays filled, so that room is not made for every file anew
ABANDONED_AFTER = 600.0  # seconds; a file that is still being written after that has lost its writer
UNFINISHED = "part-"  # what names of files begin with that are still being written


@dataclass(frozen=True)
class BoundedFolder:
    """Files two levels below `root`, together at most `bound` bytes."""

    root: Callable[[], Path]
    bound: Callable[[], int]

    @contextmanager
    def room_for(self, size: int) -> Iterator[None]:
        """The folder under its lock, with so many bytes booked and room made for them."""
        with self._ledger() as ledger:
            held = _read(ledger)
            if held is None or held + size > self.bound():
                held = self.remove_oldest(down_to=max(0, int(AFTER_MAKING_ROOM * self.bound()) - size))
            os.pwrite(ledger, f"{held + size:020}".encode(), 0)
            yield

    def remove_oldest(self, *, down_to: int) -> int:
        """Remove files, the least recently read first, until so many bytes are left; how many are."""
        files = sorted(self._files(), key=lambda entry: entry[0])
        held = sum(size for _, size, _ in files)
        for _, size, path in files:
            if held <= down_to:
                break
            path.unlink(missing_ok=True)
            held -= size
        return held

    def _files(self) -> Iterator[tuple[int, int, Path]]:
        """(last read in ns, bytes, path) of everything kept; what lost its writer is removed on the way."""
        for path in self.root().glob("*/*"):
            with suppress(FileNotFoundError, IsADirectoryError):
                facts = path.stat()
                if path.name.startswith(UNFINISHED) and time.time() - facts.st_mtime > ABANDONED_AFTER:
                    path.unlink()
                    continue
                yield facts.st_mtime_ns, facts.st_size, path

    @contextmanager
    def _ledger(self) -> Iterator[int]:
        """The file that says how much is kept, under its lock, which ends with the process that holds it."""
        self.root().mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.root() / "held", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)


def was_used(file: int | Path) -> None:
    """Set the file's time by the fine clock: the kernel's own stands still for milliseconds."""
    now = time.time_ns()
    os.utime(file, ns=(now, now))


def _read(ledger: int) -> int | None:
    """Always twenty digits, so that a write is never half done."""
    text = os.pread(ledger, 20, 0)
    return int(text) if len(text) == 20 and text.isdigit() else None
