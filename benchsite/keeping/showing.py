"""How far it is, on a terminal: a bar for each thing that is gone through."""

import time
from collections.abc import Callable
from typing import TextIO

from benchmarks.progress_bar import progress_bar
from benchsite.keeping.backup import Show

DRAWN_EVERY = 0.1  # seconds at most: files come by the thousand


def shown(stream: TextIO, clock: Callable[[], float] = time.monotonic) -> Show:
    """Nothing is shown where the output is not a terminal; each bar ends with one line."""
    bars: dict[str, Callable[[int, int], None] | None] = {}
    ended: set[str] = set()
    due = 0.0

    def show(what: str, done: int, total: int) -> None:
        nonlocal due
        if what in ended or (done < total and clock() < due):
            return
        if what not in bars:
            bars[what] = progress_bar(stream, what)
        if bar := bars[what]:
            bar(done, total)
        due = clock() + DRAWN_EVERY
        if done == total:
            ended.add(what)

    return show
