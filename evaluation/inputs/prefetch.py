"""Prefetch: the clips of the next shard are decoded into the frame cache while the model answers the current one."""

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

from django.conf import settings

from benchmarks.models import Clip
from evaluation.errors import ClipUnreadable
from evaluation.inputs.frames import frames_of


class DecodeAhead:
    """Threads that fill the cache without touching the database: the clips' files are looked up in advance.

    Each thread holds the frames of one clip at a time, and calling `start` again only extends the queue: memory does
    not grow with the number of clips.
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
            frames_of(clip, self.sampler)


def decode_together(clips: Iterable[Clip], sampler: str) -> None:
    """Decode a shard's clips now, on all threads; returns when they are cached."""
    with DecodeAhead(sampler) as ahead:
        ahead.start(clips)
        ahead.wait()
