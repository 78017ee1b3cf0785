"""The only reader of stored clips: the pictures that models, people and networks see, posters included."""

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from benchmarks.encoding.even_frames import LONGEST_SIDE, scaled_size
from benchmarks.encoding.probe import UnreadableMedia, reason_of
from scenes.media_files import opened

THREADS = 3  # of a clip that is waited for; each thread buffers a picture and takes a core from other clips
WORTH_A_SEEK = 12  # pictures; decoding fewer than this is cheaper than flushing the decoder
DIGITS = 6  # of seconds
Picture = NDArray[np.uint8]  # height, width, 3; RGB
Choice = Callable[[Sequence[float]], Sequence[int]]  # from the seconds of all pictures to the wanted numbers


@dataclass(frozen=True, eq=False)
class ClipFrame:
    """One picture of a clip, its number there, and the time from which it is shown."""

    index: int
    seconds: float
    picture: Picture


def frames(
    path: Path, wanted: Sequence[int] | Choice, *, longest: int = LONGEST_SIDE, threads: int = THREADS
) -> Iterator[ClipFrame]:
    """The wanted pictures in rising order, scaled down to `longest` pixels; no more of the file is decoded than needed.

    `path` has the one form, or is a still picture. Raises UnreadableMedia if a picture is missing.
    """
    try:
        with opened(path) as container:
            yield from _Reader(container, longest, threads).read(wanted)
    except (MemoryError, UnreadableMedia):
        raise
    except (av.FFmpegError, OSError, ValueError, IndexError) as error:
        raise UnreadableMedia(reason_of(error)) from error


class _Reader:
    """The pictures of an open file, identified by their timestamps."""

    def __init__(self, container: "av.container.InputContainer", longest: int, threads: int) -> None:
        self.container, self.longest = container, longest
        self.stream: Any = container.streams.video[0]
        self.stream.thread_type = "FRAME"
        self.stream.codec_context.thread_count = threads
        self.converter = VideoReformatter()  # one for all pictures: one each costs a quarter more
        packets = [packet for packet in container.demux(self.stream) if packet.size]  # read, not decoded
        if container.format.name == "png_pipe":
            packets = packets[:1]  # the zeros that pad a still picture look like a second one
        self.times = sorted(packet.pts for packet in packets if packet.pts is not None)
        self.keys = sorted(packet.pts for packet in packets if packet.pts is not None and packet.is_keyframe)
        if len(self.times) < len(packets):
            raise UnreadableMedia("holds pictures without a time")
        ticks, units = (self.stream.time_base or Fraction(1)).as_integer_ratio()
        self.seconds = [round(time * ticks / units, DIGITS) for time in self.times]

    def read(self, wanted: Sequence[int] | Choice) -> Iterator[ClipFrame]:
        """Seek to the keyframe before a wanted picture if that saves decoding."""
        numbers = wanted(self.seconds) if callable(wanted) else wanted
        if missing := [number for number in numbers if number >= len(self.times)]:
            raise UnreadableMedia(f"ends before picture {missing[0]}: it has {len(self.times)}")
        needed, decoded, place = {self.times[number] for number in numbers}, iter(()), 0
        frame: ClipFrame | None = None
        for number in numbers:
            if frame is None or frame.index != number:
                key = self._keyframe_of(number)
                if not place or key > place + WORTH_A_SEEK:
                    self.container.seek(self.times[key], stream=self.stream)
                    decoded = self._decoded(needed)
                frame, place = self._taken(number, decoded), number + 1
            yield frame

    def _keyframe_of(self, number: int) -> int:
        """The number of the last keyframe that is shown no later than this picture."""
        at = bisect.bisect_right(self.keys, self.times[number])
        return bisect.bisect_left(self.times, self.keys[at - 1]) if at else 0

    def _decoded(self, needed: set[int]) -> Iterator[Any]:
        """Decoded pictures from here on; skips those that are neither needed nor referenced by others."""
        for packet in self.container.demux(self.stream):
            is_needed = packet.pts is None or packet.pts in needed
            self.stream.codec_context.skip_frame = "DEFAULT" if is_needed else "NONREF"
            yield from packet.decode()

    def _taken(self, number: int, decoded: Iterator[Any]) -> ClipFrame:
        time = self.times[number]
        frame = next((frame for frame in decoded if frame.pts is not None and frame.pts >= time), None)
        if frame is None or frame.pts != time:
            raise UnreadableMedia(f"its picture {number} can't be decoded")
        width, height = scaled_size(frame.width, frame.height, self.longest)
        scaled = self.converter.reformat(frame, width, height, format="rgb24", interpolation="AREA")
        return ClipFrame(number, self.seconds[number], np.asarray(scaled.to_ndarray(), dtype=np.uint8))
