"""A one-line progress bar with the remaining time, on terminals only; plain lines if the output is a file."""

import time
from collections.abc import Callable
from typing import Protocol, TextIO

FORM = "{desc} [{bar:30}] {n_fmt}/{total_fmt} {remaining} left"
FORM_WITH_DETAIL = "{desc} [{bar:16}] {n_fmt}/{total_fmt} {elapsed} {remaining} left{postfix}"
SECONDS_A_LINE = 10.0


Report = Callable[[str], object]  # takes a line


class Bar(Protocol):
    """Draws the progress; `detail` is an additional word, such as the loss."""

    def __call__(self, done: int, total: int, detail: str = "") -> None: ...


class PlainLines:
    """Progress as lines: the first, the last, and one every few seconds, with seconds spent and left."""

    def __init__(
        self,
        what: str,
        write: Report,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], float] = lambda spent: SECONDS_A_LINE,
    ) -> None:
        """`pause` maps the seconds spent so far to the seconds between two lines."""
        self.what, self.write, self.clock, self.pause = what, write, clock, pause
        self.began = self.written = clock()
        self.first: int | None = None  # steps done before this process

    def __call__(self, done: int, total: int, detail: str = "") -> None:
        now, is_first = self.clock(), self.first is None
        self.first = done - 1 if self.first is None else self.first
        if not is_first and done < total and now - self.written < self.pause(now - self.began):
            return
        spent = now - self.began
        left = spent / (done - self.first) * (total - done)
        suffix = f", {detail}" if detail else ""
        self.write(f"{self.what}: {done} of {total}{suffix}, {spent:.0f} s, about {left:.0f} s left")
        self.written = now


def progress_bar(stream: TextIO, what: str, form: str = FORM) -> Bar | None:
    """A function of (done, total) that redraws one line; None when the output is not a terminal."""
    if not stream.isatty():
        return None
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no monitor thread: workers are forked
    bar = tqdm(desc=what, file=stream, bar_format=form, ascii=".#", miniters=1, ncols=79, nrows=20)

    def show(done: int, total: int, detail: str = "") -> None:
        bar.total = total
        if detail:
            bar.set_postfix_str(detail, refresh=False)
            if not bar.n and done > 1:  # resumed: steps done earlier say nothing about the speed
                bar.n = bar.initial = done - 1
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return show
