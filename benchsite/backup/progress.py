"""Progress of backup and restore on a terminal: one bar per step."""

from collections.abc import Callable
from typing import TextIO

from benchmarks.progress_bar import progress_bar
from benchsite.backup.backup import Show


def progress_callback(stream: TextIO) -> Show:
    """A callback that draws the bars; without a terminal it does nothing."""
    bars: dict[str, Callable[[int, int], None] | None] = {}

    def show(what: str, done: int, total: int) -> None:
        if what not in bars:
            bars[what] = progress_bar(stream, what)
        if bar := bars[what]:
            bar(done, total)

    return show
