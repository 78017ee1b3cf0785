"""Writes served files: one container, one encoder setting, no metadata, and a common file size per pack."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from math import inf
from pathlib import Path
from typing import Any

import av

from benchmarks.encoding.audio_track import Voice
from benchmarks.encoding.probe import MEDIA_ERRORS, UnreadableMedia, VideoFacts
from scenes.media_files import opened

# One setting for all files, so that a file reveals nothing but its pictures. A keyframe every half second (`g` below)
# makes seeking cheap and scrubbing smooth.
X264 = {"preset": "veryfast", "crf": "20", "threads": "1"}
# faststart puts the index in front; bitexact keeps time and library out of the file.
MP4 = {"movflags": "faststart", "fflags": "+bitexact"}
POSTER_WIDTH = 480
CLOSE = 1e-6  # seconds
CLIP_CLASS = 64 * 1024
POSTER_CLASS = 4 * 1024
SMALLEST_BOX = 8


def write_original(source: Path, target: Path, facts: VideoFacts) -> VideoFacts:
    """Write the served file, and return the facts as its pictures are counted there.

    The stream is copied into a clean container if every browser plays it and the copy shows every picture; otherwise
    it is encoded again.
    """
    if facts.can_be_copied and _is_copied(source, target, facts.frames):
        return facts
    count = encode(source, target, facts)
    check_pictures(target, count)
    return replace(facts, frames=count, seconds=count / facts.fps, can_be_copied=False)


def _is_copied(source: Path, target: Path, frames: int) -> bool:
    try:
        copy_streams(source, target, sound=True)
        check_pictures(target, frames)
    except MEDIA_ERRORS:
        return False
    return True


def check_pictures(path: Path, expected: int) -> None:
    """Decode the whole file; raises UnreadableMedia unless it shows as many pictures as were read of its source."""
    with opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        count = sum(1 for _ in container.decode(stream))
    if count != expected:
        raise UnreadableMedia(f"of {expected} pictures that were read, {count} are shown by the file made of them")


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


def encode(source: Path, target: Path, facts: VideoFacts, begins: float = 0.0, ends: float = inf) -> int:
    """Re-encode the video and the first audio stream; return the number of pictures. Both start at the first picture.

    `begins`, a keyframe, and `ends` choose a part, in seconds from the start of the stream.
    """
    start = _first_picture(source, begins)
    length = ends - begins
    with opened(source) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        pictures, sounds = read.streams.video[0], read.streams.audio[:1]
        pictures.thread_type = "SLICE"
        screen = _Screen(written, facts)
        voice = Voice.like(written, sounds[0]) if sounds else None
        if begins:
            seek(read, start)
        for frame in _frames(read, [pictures, *sounds], start, length):
            if isinstance(frame, av.VideoFrame):
                screen.show(frame, start)
            elif voice:
                voice.say(frame, since=start, until=None if length == inf else length)
        if not screen.count:
            raise UnreadableMedia("no picture of it can be decoded")
        screen.finish()
        if voice:
            voice.finish()
    return screen.count


def _first_picture(source: Path, begins: float) -> float:
    """The time of the first picture that can be decoded, or of the one at `begins`, in the file's own seconds."""
    with opened(source) as read:
        stream = read.streams.video[0]
        wanted = start_of(stream) + begins
        if begins:
            seek(read, wanted)
        times = (frame.time for frame in read.decode(stream) if frame.time is not None)
        return next((time for time in times if not begins or time >= wanted - CLOSE), wanted)


def start_of(stream: "av.VideoStream") -> float:
    return float((stream.start_time or 0) * (stream.time_base or 0))


def seek(read: "av.container.InputContainer", seconds: float) -> None:
    """Go to the keyframe at this time of the video stream, or to the one before it."""
    stream = read.streams.video[0]
    read.seek(round((seconds + CLOSE) / (stream.time_base or 1)), stream=stream)


def _frames(
    read: Any, streams: Sequence[Any], start: float, length: float
) -> Iterator["av.VideoFrame | av.AudioFrame"]:
    """The pictures from `start` on and the sound, for `length` seconds of each."""
    ended = set[int]()
    for packet in read.demux(streams):
        for frame in packet.decode():
            at = 0.0 if frame.time is None else frame.time - start
            if at >= length - CLOSE:
                ended.add(packet.stream.index)
            elif at >= -CLOSE or isinstance(frame, av.AudioFrame):
                yield frame
        if len(ended) == len(streams):
            return


class _Screen:
    """The video stream of a file being written."""

    def __init__(self, written: "av.container.OutputContainer", facts: VideoFacts) -> None:
        self.written = written
        self.rate = Fraction(facts.fps).limit_denominator(1001)
        options = {**X264, "g": str(max(1, round(facts.fps / 2)))}
        self.stream = written.add_stream("libx264", rate=self.rate, options=options)
        self.stream.width, self.stream.height = facts.width // 2 * 2, facts.height // 2 * 2
        self.stream.pix_fmt = "yuv420p"
        self.number = -1
        self.count = 0

    def show(self, frame: "av.VideoFrame", start: float) -> None:
        """Encode a frame at its own time, so that an uneven rate stays in sync with the sound; times are unique."""
        at = round((frame.time - start) * self.rate) if frame.time is not None else 0
        self.number = max(self.number + 1, at)
        self.count += 1
        picture = frame.reformat(self.stream.width, self.stream.height, "yuv420p")
        picture.pts, picture.time_base = self.number, 1 / self.rate
        picture.pict_type = av.video.frame.PictureType.NONE  # otherwise the source's keyframes would be forced
        self.written.mux(self.stream.encode(picture))

    def finish(self) -> None:
        self.written.mux(self.stream.encode(None))


def write_poster(source: Path, target: Path, share: float = 0.5) -> None:
    """Write the frame at this relative position as a small JPEG."""
    with opened(source) as container:
        stream = container.streams.video[0]
        wanted = (stream.start_time or 0) + int((stream.duration or 0) * share)
        container.seek(wanted, stream=stream)
        picture = None
        for frame in container.decode(stream):
            picture = frame
            if frame.pts is not None and frame.pts >= wanted:
                break
        if picture is None:
            raise ValueError("no frame for the poster")
        image = picture.to_image()
    image.thumbnail((POSTER_WIDTH, POSTER_WIDTH))
    data = BytesIO()
    image.save(data, "JPEG", quality=82, optimize=True)
    target.write_bytes(data.getvalue())


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
