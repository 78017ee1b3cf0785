"""Prefetch: the clips of the next questions are decoded into the frame cache while the model answers."""

import os
import sys
import threading
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from django.conf import settings

from benchmarks.models import Clip
from evaluation.errors import ClipUnreadable
from evaluation.inputs.frames import frames_of

NICER = 10  # than the model's threads: decoding takes the time that they leave


def step_back() -> None:
    """Let the threads of the model go before the calling one; only Linux gives a thread its own priority."""
    if sys.platform == "linux":
        own = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, own, min(19, os.getpriority(os.PRIO_PROCESS, own) + NICER))


class DecodeAhead:
    """Threads that fill the cache without touching the database: the clips' files are looked up in advance.

    Each thread holds the frames of one clip at a time, and calling `start` again only extends the queue: memory does
    not grow with the number of clips. `shards` are the last two whose clips were queued.
    """

    def __init__(self, sampler: str) -> None:
        self.sampler = sampler
        self._pool = ThreadPoolExecutor(settings.DECODE_THREADS, "decode ahead", step_back)
        self._going: list[Future[None]] = []
        self.shards: deque[int] = deque(maxlen=2)

    def __enter__(self) -> "DecodeAhead":
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def start(self, clips: Iterable[Clip]) -> None:
        """Queue these clips for decoding; a clip shared by several items is decoded once."""
        different = {clip.sha256: clip for clip in clips}
        self._going = [going for going in self._going if not going.done()]
        self._going += [self._pool.submit(self._decode, clip) for clip in different.values()]

    def wait(self) -> None:
        """Wait until every queued clip is in the cache."""
        for going in self._going:
            going.result()

    def _decode(self, clip: Clip) -> None:
        with suppress(ClipUnreadable):  # the error is reported when the item itself is asked
            frames_of(clip, self.sampler, threads=1)  # of several clips at once, which takes a fifth less time in all
