"""Parts of a long video: keyframes, small frames for shot detection, and clips cut out without re-encoding."""

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray

from benchmarks.encoding.encode import MP4
from benchmarks.encoding.probe import UnreadableMedia, opened

PIECE = 256  # frames decoded at a time
CLOSE = 1e-6  # seconds


def keyframes_of(path: Path) -> list[float]:
    """Times of the keyframes, in seconds from the first frame; a cut there needs no re-encoding."""
    with opened(path) as container:
        stream = container.streams.video[0]
        start = _start_of(stream)
        times = (packet.pts for packet in container.demux(stream) if packet.is_keyframe and packet.pts is not None)
        return sorted(float(time * (stream.time_base or 0)) - start for time in times)


def small_frames(path: Path, width: int, height: int) -> Iterator[NDArray[np.uint8]]:
    """Yield all frames in RGB at this size, in chunks. Shape: frames, height, width, 3."""
    with opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        held = []
        for frame in container.decode(stream):
            held.append(frame.reformat(width, height, "rgb24").to_ndarray())
            if len(held) == PIECE:
                yield np.stack(held)
                held = []
        if held:
            yield np.stack(held)


def cut_out(source: Path, target: Path, start: float, end: float) -> None:
    """Copy the streams from `start`, a keyframe, to `end` (seconds from the first frame) without re-encoding."""
    with opened(source) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        pictures = read.streams.video[0]
        streams = [pictures, *read.streams.audio[:1]]
        origin = _start_of(pictures)
        outputs = {stream.index: written.add_stream_from_template(stream) for stream in streams}
        read.seek(round((start + origin + CLOSE) / (pictures.time_base or 1)), stream=pictures)
        count, ended = 0, set[int]()
        for packet in read.demux(streams):
            if len(ended) == len(streams):
                break
            if packet.dts is None or packet.pts is None or packet.stream.index in ended:
                continue
            base = packet.time_base
            at = float(packet.pts * base) - origin
            if at >= end - CLOSE:
                ended.add(packet.stream.index)  # later packets may contain earlier pictures that need this one
            if not start - CLOSE <= at < end - CLOSE:
                continue
            shift = round((start + origin) / base)
            packet.pts, packet.dts = packet.pts - shift, packet.dts - shift
            count += packet.stream is pictures
            packet.stream = outputs[packet.stream.index]
            written.mux(packet)
    if not count:
        raise UnreadableMedia(f"holds no pictures from {start:.2f} to {end:.2f} s")


def _start_of(stream: "av.VideoStream") -> float:
    return float((stream.start_time or 0) * (stream.time_base or 0))
