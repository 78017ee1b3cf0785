"""Progress of backup and restore: one bar per step."""

from typing import TextIO

from benchmarks.progress_bar import Bar, progress_bar
from benchsite.backup.rows import Show


def progress_callback(stream: TextIO) -> Show:
    """A callback that draws a bar for each step."""
    bars: dict[str, Bar] = {}

    def show(what: str, done: int, total: int) -> None:
        if what not in bars:
            bars[what] = progress_bar(stream, what)
        bars[what](done, total)

    return show
