"""Decodes single frames of a video file: exactly the wanted ones, reading no more of the file than needed."""

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.encoding.even_frames import scaled_size
from benchmarks.models import Clip
from benchmarks.storage.access import decodable
from evaluation.errors import ClipUnreadable

THREADS_A_CLIP = 3  # of a clip that is waited for; each thread buffers a frame and takes a core from other clips
WORTH_A_SEEK = 12  # frames; decoding fewer than this is cheaper than flushing the decoder


@dataclass(frozen=True, eq=False)
class Taken:
    """One frame: its number in the clip, its time in seconds, and its picture RGB [height, width, 3]."""

    index: int
    seconds: float
    picture: np.ndarray


def decoded(clip: Clip, wanted: Sequence[int], threads: int = THREADS_A_CLIP) -> list[Taken]:
    """The wanted frames in the order of `wanted`; raises ClipUnreadable if one is missing."""
    if clip.frames < 1:
        raise ClipUnreadable("the clip has no frames")
    found = _taken(clip, sorted(set(wanted)), threads)
    if missing := [index for index in wanted if index not in found]:
        raise ClipUnreadable(f"the clip ends early: frame {missing[0]} of {clip.frames} can't be decoded")
    return [found[index] for index in wanted]


def _taken(clip: Clip, wanted: list[int], threads: int) -> dict[int, Taken]:
    import av

    try:
        path = decodable(clip)
        found = {one.index: one for one in _by_seeking(path, clip, wanted, threads)}
        if len(found) == len(wanted):
            return found
        # The file's index may list frames that decoding does not yield; then every frame is counted from the start.
        return {one.index: one for one in _from_start(path, clip, wanted, threads)}
    except (OSError, ValueError, IndexError, av.FFmpegError) as error:
        raise ClipUnreadable(f"the clip can't be opened: {getattr(error, 'strerror', '') or error}") from error


def _from_start(path: Path, clip: Clip, wanted: list[int], threads: int = THREADS_A_CLIP) -> Iterator[Taken]:
    """Decode up to the last wanted frame, and convert only the wanted ones."""
    with _opened(path, threads) as (container, stream, reformatter):
        for index, frame in enumerate(container.decode(stream)):
            if index in wanted:
                yield _take(index, frame, clip, reformatter)
            if index == wanted[-1]:
                return


def _by_seeking(path: Path, clip: Clip, wanted: list[int], threads: int = THREADS_A_CLIP) -> Iterator[Taken]:
    """Seek to the keyframe before each wanted frame if that saves decoding; timestamps identify the frames.

    Yields fewer than wanted, or nothing, if the timestamps don't fit the clip: then only counting helps.
    """
    with _opened(path, threads) as (container, stream, reformatter):
        times, keys = _timestamps(container, stream)
        if len(times) != clip.frames or len(set(times)) != len(times):
            return
        needed, place = {times[index] for index in wanted}, 0
        frames: Iterator[Any] = iter(())
        for index in wanted:
            key = keys[bisect.bisect_right(keys, times[index]) - 1] if keys and keys[0] <= times[index] else times[0]
            start = bisect.bisect_left(times, key)
            if not place or start > place + WORTH_A_SEEK:
                container.seek(key, stream=stream)
                frames = _decoding(container, stream, needed)
            frame = next((frame for frame in frames if frame.pts is not None and frame.pts >= times[index]), None)
            if frame is None or frame.pts != times[index]:
                return
            yield _take(index, frame, clip, reformatter)
            place = index + 1


def _decoding(container: Any, stream: Any, needed: set[int]) -> Iterator[Any]:
    """Decoded frames from here on; skips frames that are neither needed nor referenced by others."""
    for packet in container.demux(stream):
        is_needed = packet.pts is None or packet.pts in needed
        stream.codec_context.skip_frame = "DEFAULT" if is_needed else "NONREF"
        yield from packet.decode()


def _timestamps(container: Any, stream: Any) -> tuple[list[int], list[int]]:
    """The timestamps of all frames and of the keyframes, read from the packets without decoding."""
    packets = [packet for packet in container.demux(stream) if packet.size]
    if any(packet.pts is None or packet.is_discard for packet in packets):
        return [], []
    return sorted(packet.pts for packet in packets), sorted(packet.pts for packet in packets if packet.is_keyframe)


class _opened:
    """Open the first video stream, with one converter for all frames (one converter each costs a quarter more)."""

    def __init__(self, path: Path, threads: int) -> None:
        from av.video.reformatter import VideoReformatter

        from scenes.media_files import opened

        self.container, self.reformatter, self.threads = opened(path), VideoReformatter(), threads

    def __enter__(self) -> tuple[Any, Any, Any]:
        stream = self.container.streams.video[0]
        stream.thread_type = "FRAME"
        stream.codec_context.thread_count = self.threads
        return self.container, stream, self.reformatter

    def __exit__(self, *error: object) -> None:
        self.container.close()


def _take(index: int, frame: Any, clip: Clip, reformatter: Any) -> Taken:
    size = dict(zip(("width", "height"), scaled_size(frame.width, frame.height), strict=True))
    seconds = round(float(frame.time if frame.time is not None else index / clip.fps), 6)
    picture = reformatter.reformat(frame, format="rgb24", interpolation="AREA", **size).to_ndarray()
    return Taken(index, seconds, picture)
