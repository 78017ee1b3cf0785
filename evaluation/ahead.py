"""Decoding ahead: while the model answers one shard, the clips of the next one go into the frame cache."""

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from django.conf import settings

from benchmarks.models import Clip
from evaluation.errors import ClipUnreadable
from evaluation.frames import frames_of


class DecodeAhead:
    """Threads that fill the cache and never touch the database: the clips come with their files looked up.

    Each thread holds the frames of one clip at a time, and who calls `start` again before the threads are done only
    adds to their list: memory does not grow with the number of clips.
    """

    def __init__(self, sampler: str) -> None:
        self.sampler = sampler
        self._pool = ThreadPoolExecutor(settings.DECODE_THREADS, thread_name_prefix="decode ahead")
        self._going: list[Future[None]] = []

    def __enter__(self) -> "DecodeAhead":
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def start(self, clips: Iterable[Clip]) -> None:
        """Decode these after what was started before; a clip that several items share is decoded once."""
        different = {clip.sha256: clip for clip in clips}
        self._going = [going for going in self._going if not going.done()]
        self._going += [self._pool.submit(self._decode, clip) for clip in different.values()]

    def wait(self) -> None:
        """Until everything that was started is in the cache."""
        for going in self._going:
            going.result()

    def _decode(self, clip: Clip) -> None:
        with suppress(ClipUnreadable):  # reported when the item itself is asked
            frames_of(clip, self.sampler)


def decode_together(clips: Iterable[Clip], sampler: str) -> None:
    """Decode what a shard needs right now, on all threads; returns when it is in the cache."""
    with DecodeAhead(sampler) as ahead:
        ahead.start(clips)
        ahead.wait()
