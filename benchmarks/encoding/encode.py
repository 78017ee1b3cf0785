"""Writes served files: one container, one encoder setting, no metadata, and a common file size per pack."""

import struct
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import av

from benchmarks.encoding.audio_track import Voice
from benchmarks.encoding.probe import VideoFacts, opened

# One setting for all files, so that a file reveals nothing but its pictures. A keyframe every half second (`g` below)
# makes seeking cheap and scrubbing smooth.
X264 = {"preset": "veryfast", "crf": "20", "threads": "1"}
# faststart puts the index in front; bitexact keeps time and library out of the file.
MP4 = {"movflags": "faststart", "fflags": "+bitexact"}
POSTER_WIDTH = 480
CLIP_CLASS = 64 * 1024
POSTER_CLASS = 4 * 1024
SMALLEST_BOX = 8


def write_original(source: Path, target: Path, facts: VideoFacts) -> None:
    """Write the served file: the same stream in a clean container, re-encoded only if browsers couldn't play it."""
    if facts.can_be_copied:
        copy_streams(source, target, sound=True)
    else:
        _encode(source, target, facts)


def copy_streams(source: Path, target: Path, *, sound: bool) -> None:
    """Copy the video stream, with or without the sound, into a new container."""
    with opened(source) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        streams = [read.streams.video[0], *(read.streams.audio[:1] if sound else ())]
        outputs = {stream.index: written.add_stream_from_template(stream) for stream in streams}
        for packet in read.demux(streams):
            if packet.dts is not None:
                packet.stream = outputs[packet.stream.index]
                written.mux(packet)


def _encode(source: Path, target: Path, facts: VideoFacts) -> None:
    """Re-encode the video and the first audio stream; both start at the first picture."""
    with opened(source) as read, av.open(str(target), "w", format="mp4", options=MP4) as written:
        pictures, sounds = read.streams.video[0], read.streams.audio[:1]
        pictures.thread_type = "SLICE"
        screen = _Screen(written, facts)
        voice = Voice.like(written, sounds[0]) if sounds else None
        start = float((pictures.start_time or 0) * (pictures.time_base or 0))
        for packet in read.demux([pictures, *sounds]):
            for frame in packet.decode():
                if isinstance(frame, av.VideoFrame):
                    screen.show(frame, start)
                elif voice and isinstance(frame, av.AudioFrame):
                    voice.say(frame, since=start)
        screen.finish()
        if voice:
            voice.finish()


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

    def show(self, frame: "av.VideoFrame", start: float) -> None:
        """Encode a frame at its own time, so that an uneven rate stays in sync with the sound; times are unique."""
        at = round((frame.time - start) * self.rate) if frame.time is not None else 0
        self.number = max(self.number + 1, at)
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
