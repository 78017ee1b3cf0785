"""What a process that makes clips runs: plain Python, so that it starts without the site."""

import errno
import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.set_making import maker_named

FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "the disk quota is used up"}
STOPPED = 143  # exit code of a process that was terminated


class ClipNotWritten(Exception):
    """A clip could not be written, in one sentence; no file of it stands under its final name."""


def make_one(scene: str, seed: int, index: int, out: Path, options: Mapping[str, Any]) -> bool:
    """Make a clip; says whether it stood already. With `maker` and `order` among the options, one of a whole set."""
    try:
        if "maker" in options:
            return maker_named(options["maker"]).make(options["order"], scene, out)
        return _made_of_scene(scene, seed, index, out, options)
    except OSError as error:  # the encoder's errors of writing are such, too
        if why := FULL.get(error.errno or 0):
            raise ClipNotWritten(f"{scene} {index:03}: {why}, so it was not written to {out}") from None
        raise


def _made_of_scene(scene: str, seed: int, index: int, out: Path, options: Mapping[str, Any]) -> bool:
    from scenes.clip import make_clip
    from scenes.drawing import ClipFailed

    try:
        return make_clip(scene, seed, index, out, **options).was_kept
    except ClipFailed as error:
        raise ClipNotWritten(str(error)) from error


Asked = tuple[str, int, int, Path, Mapping[str, Any]]  # what `make_one` takes


def make_in_worker(asked: Sequence[Asked]) -> list[bool]:
    """`make_one` of each in a process that may be told to stop: it takes its unfinished file along and is gone."""
    try:
        return [make_one(*one) for one in asked]
    except SystemExit:
        os._exit(STOPPED)  # else the pool's process would catch it and begin the next clip


def wait_for_orders() -> None:
    """Ctrl-C reaches every process of the terminal, but the parent alone answers it: it terminates these."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that was killed can't say so: its processes would wait for the next order for ever."""
    if parent := multiprocessing.parent_process():
        parent.join()
        main = threading.main_thread().ident
        assert main is not None  # it has begun
        signal.pthread_kill(main, signal.SIGTERM)


def _stop(number: int, frame: object) -> None:
    raise SystemExit(STOPPED)
