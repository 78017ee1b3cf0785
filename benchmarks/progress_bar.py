"""A one-line progress bar with the remaining time, on terminals only."""

from collections.abc import Callable
from typing import TextIO

FORM = "{desc} [{bar:30}] {n_fmt}/{total_fmt} {remaining} left"


def progress_bar(stream: TextIO, what: str) -> Callable[[int, int], None] | None:
    """A function of (done, total) that redraws one line; None when the output is not a terminal."""
    if not stream.isatty():
        return None
    from tqdm import tqdm

    tqdm.monitor_interval = 0  # no monitor thread: workers are forked
    bar = tqdm(desc=what, file=stream, bar_format=FORM, ascii=".#", miniters=1, ncols=79, nrows=20)

    def show(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return show
