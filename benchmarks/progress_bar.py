"""Progress with the remaining time: one line that is redrawn on a terminal, else a line every ten seconds."""

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
        *,
        at_once: bool = True,
    ) -> None:
        """`pause` maps the seconds spent to those between two lines; without `at_once` what is short prints none."""
        self.what, self.write, self.clock, self.pause = what, write, clock, pause
        self.began = self.written = clock()
        self.first: int | None = None  # steps done before this process
        self.at_once, self.has_lines, self.is_over = at_once, False, False

    def __call__(self, done: int, total: int, detail: str = "") -> None:
        now, begins = self.clock(), self.first is None and self.at_once
        self.first = done - 1 if self.first is None else self.first
        ends = done >= total and not self.is_over and (self.at_once or self.has_lines)
        self.is_over = done >= total
        if not begins and not ends and now - self.written < self.pause(now - self.began):
            return
        spent = now - self.began
        left = spent / max(done - self.first, 1) * (total - done)
        suffix = f", {detail}" if detail else ""
        self.write(f"{self.what}: {done} of {total}{suffix}, {spent:.0f} s, about {left:.0f} s left")
        self.written, self.has_lines = now, True


def progress_bar(stream: TextIO, what: str, form: str = FORM) -> Bar:
    """A function of (done, total) that redraws one line, or prints one every ten seconds if this is no terminal."""
    if not stream.isatty():
        return PlainLines(what, lambda line: print(line, file=stream, flush=True), at_once=False)
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
