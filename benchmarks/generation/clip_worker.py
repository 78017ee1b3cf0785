"""Code of the processes that make clips: plain Python, so that they start without Django."""

import errno
import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.generation.set_makers import maker_named

FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "the disk quota is used up"}
STOPPED = 143  # exit code of a process that was terminated


class ClipNotWritten(Exception):
    """A clip could not be written; the message is one sentence, and no partial file has the final name."""


def make_one(scene: str, seed: int, index: int, out: Path, options: Mapping[str, Any]) -> bool:
    """Make a clip, or a clip of a set if the options contain `maker` and `order`; return whether it existed already."""
    try:
        if "maker" in options:
            return maker_named(options["maker"]).make(options["order"], scene, out)
        return _made_of_scene(scene, seed, index, out, options)
    except OSError as error:  # includes the encoder's write errors
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


ClipOrder = tuple[str, int, int, Path, Mapping[str, Any]]  # the arguments of `make_one`


def make_in_worker(clips: Sequence[ClipOrder]) -> list[bool]:
    """Call `make_one` for each order; SIGTERM removes the unfinished file and ends the process."""
    try:
        return [make_one(*one) for one in clips]
    except SystemExit:
        os._exit(STOPPED)  # otherwise the pool would catch the exception and begin the next clip


def wait_for_orders() -> None:
    """Set up a worker process: ignore Ctrl-C, which the parent handles, and stop on SIGTERM or with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Stop when the parent dies; otherwise the workers of a killed parent would wait forever."""
    if parent := multiprocessing.parent_process():
        parent.join()
        main = threading.main_thread().ident
        assert main is not None  # the main thread is running
        signal.pthread_kill(main, signal.SIGTERM)


def _stop(number: int, frame: object) -> None:
    raise SystemExit(STOPPED)
