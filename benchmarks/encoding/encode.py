"""Writes served files: one container, no metadata, and a common file size per pack."""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import av

from benchmarks.encoding.probe import WITHOUT_INDEX, UnreadableMedia
from benchmarks.policy import KILOBYTE
from scenes.media_files import opened

# faststart puts the index in front; bitexact keeps time and library out of the file.
MP4 = {"movflags": "faststart", "fflags": "+bitexact"}
CLOSE = 1e-6  # seconds
FAR = 20.0  # seconds; no two keyframes lie farther apart in a broadcast
CLIP_CLASS = 64 * KILOBYTE
POSTER_CLASS = 4 * KILOBYTE
SMALLEST_BOX = 8


def copy_streams(source: Path, target: Path, *, sound: bool) -> None:
    """Copy the video stream, with or without the sound, into a new container; raises UnreadableMedia if it can't be."""
    with opened(source) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        streams = [read.streams.video[0], *(read.streams.audio[:1] if sound else ())]
        outputs = {stream.index: written.add_stream_from_template(stream) for stream in streams}
        for packet in timed_packets(read, streams):
            packet.stream = outputs[packet.stream.index]
            written.mux(packet)


def timed_packets(read: "av.container.InputContainer", streams: Sequence[Any]) -> Iterator[Any]:
    """The packets of these streams; raises UnreadableMedia at one that has no time, since no MP4 could hold it."""
    for packet in read.demux(streams):
        if not packet.size:  # the end of a stream
            continue
        if packet.dts is None or packet.pts is None:
            raise UnreadableMedia("holds pictures or sound without a time, and can't be copied")
        yield packet


def start_of(stream: "av.VideoStream") -> float:
    return float((stream.start_time or 0) * (stream.time_base or 0))


def seek(read: "av.container.InputContainer", seconds: float) -> None:
    """Go to the keyframe at this time of the video stream, or to one before it."""
    stream = read.streams.video[0]
    if read.format.name in WITHOUT_INDEX:  # a seek ends anywhere between two keyframes there
        seconds = max(start_of(stream), seconds - FAR)
    read.seek(round((seconds + CLOSE) / (stream.time_base or 1)), stream=stream)


def size_class(sizes: list[int], step: int) -> int:
    """The common size of a pack's files, a multiple of `step`."""
    return -(-(max(sizes, default=0) + SMALLEST_BOX) // step) * step


def pad_clip(path: Path, size: int) -> None:
    """Pad with an MP4 `free` box, which players skip. The zeros take no space on most file systems."""
    missing = size - path.stat().st_size
    if missing < SMALLEST_BOX:
        raise ValueError(f"{path.name} does not fit into {size} bytes")
    with path.open("r+b") as file:
        file.seek(0, 2)
        file.write(struct.pack(">I4s", missing, b"free"))
        file.truncate(size)


def pad_poster(path: Path, size: int) -> None:
    """Pad after the end of the picture, which readers of JPEG and PNG ignore."""
    with path.open("r+b") as file:
        file.truncate(size)
