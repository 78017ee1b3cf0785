"""A line that grows on a terminal, with the time that is left, and nothing where nobody looks."""

import time
from collections.abc import Callable
from typing import TextIO

WIDTH = 30


def progress_bar(
    stream: TextIO, what: str, clock: Callable[[], float] = time.monotonic
) -> Callable[[int, int], None] | None:
    """A function of (done, total) that redraws one line; None when the output is not a terminal."""
    if not stream.isatty():
        return None
    began = clock()

    def show(done: int, total: int) -> None:
        filled = WIDTH * done // max(total, 1)
        bar = f"\r{what} [{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total}"
        stream.write(f"{bar} {_left(clock() - began, done, total)}".ljust(WIDTH + 50))
        stream.write("\n" if done == total else "")
        stream.flush()

    return show


def _left(seconds: float, done: int, total: int) -> str:
    """How long the rest takes at the pace so far, as `1:02:03 left`."""
    if not done or done == total:
        return ""
    left = round(seconds * (total - done) / done)
    hours, minutes = divmod(left // 60, 60)
    return f"{hours}:{minutes:02}:{left % 60:02} left"
