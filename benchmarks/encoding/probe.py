"""Probes video files within limits: a broken or absurd file gives an error message, never a crash."""

import struct
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

from benchmarks.policy import GIGABYTE
from scenes.media_files import MAX_SIDE, opened

SIZE = struct.calcsize("9i")


@dataclass(frozen=True)
class Orientation:
    """First the axes are exchanged (`swaps`), then the picture is flipped `across` (left to right) and `down`."""

    swaps: bool = False
    across: bool = False
    down: bool = False

    @classmethod
    def of(cls, matrix: bytes) -> "Orientation":
        """The nearest turn by right angles to a display matrix: nine 32-bit integers, see FFmpeg's display.h."""
        if len(matrix) < SIZE:
            return UPRIGHT
        right, below, _u, left, up, *_rest = struct.unpack("9i", matrix[:SIZE])
        if abs(below) > abs(right):
            return cls(swaps=True, across=left < 0, down=below < 0)
        return cls(across=right < 0, down=up < 0)

    @property
    def words(self) -> str:
        """What is done to the stored picture, "" for nothing: "mirrored", "turned by 90°" (clockwise), or both."""
        is_mirrored = self.swaps ^ self.across ^ self.down
        angle = (90 if self.across else 270) if self.swaps else (180 if self.down else 0)
        parts = (["mirrored"] if is_mirrored else []) + ([f"turned by {angle}°"] if angle else [])
        return " and ".join(parts)

    def applied(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture [height, width, 3] as it is shown."""
        upright = picture.swapaxes(0, 1) if self.swaps else picture
        return np.ascontiguousarray(upright[:: -1 if self.down else 1, :: -1 if self.across else 1])


UPRIGHT = Orientation()


FASTEST = 1_000  # frames a second; slow-motion cameras reach 960
MOST_STREAMS = 64
SOUND_RATES = range(1_000, 400_001)  # Hz
SLACK = 1.0  # seconds; sound may end a little after the pictures
WITHOUT_INDEX = {"mpegts", "mpeg"}  # a seek to the end finds no keyframe there
PLAYED_SOUND = {"aac", "mp3", "mp3float"}
BT601, BT709, UNSAID = {5, 6}, 1, 2  # matrices of colours, as numbered in H.264
SD = 720  # lines; below it every reader takes colours about which nothing is said as BT.601, above it they differ
FULL_RANGE = 2
BY_ANGLE = {  # quarters of a turn against the clock
    1: Orientation(swaps=True, down=True),
    2: Orientation(across=True, down=True),
    3: Orientation(swaps=True, across=True),
}


class UnreadableMedia(ValueError):
    """The file can't be shown; the message says why."""


MEDIA_ERRORS = (UnreadableMedia, av.FFmpegError, OSError, ValueError)  # errors caused by untrusted files


@dataclass(frozen=True)
class MediaLimits:
    """Maximum values for a file to be opened."""

    frames: int = 20_000
    seconds: int = 1_800
    gigabytes: int = 2


OF_CLIPS = MediaLimits()


@dataclass(frozen=True)
class VideoFacts:
    """What headers, packets and the first picture say of a readable video; times are seconds of the file."""

    width: int  # as stored, before it is turned
    height: int
    fps: float
    frames: int
    seconds: float
    has_sound: bool
    hidden: int  # pictures that an edit list leaves out
    begins: float  # when the first picture is shown
    ends: float  # when the last one is no longer shown
    longest_picture: float
    sound_ends: float  # -inf without sound
    pixel: Fraction  # width of a pixel as a share of its height
    turn: Orientation
    is_played: bool  # every browser plays its streams, all with the same colours
    is_in_order: bool  # its packets can be moved to another file without losing, hiding or delaying a picture


def probe(path: Path, limits: MediaLimits = OF_CLIPS) -> VideoFacts:
    """The video's facts; reads packets without decoding, then checks that the first and the last picture decode."""
    if path.stat().st_size > limits.gigabytes * GIGABYTE:
        raise UnreadableMedia(f"larger than {limits.gigabytes} GB")
    try:
        with opened(path) as container:
            return _facts(container, limits)
    except MemoryError:  # the decoder raises it, too: our lack of memory is not the file's fault
        raise
    except (av.FFmpegError, EOFError) as error:
        raise UnreadableMedia(f"not a readable video ({reason_of(error)})") from None


def _facts(container: "av.container.InputContainer", limits: MediaLimits) -> VideoFacts:
    stream = _pictures_of(container)
    context = stream.codec_context
    promised = stream.frames
    packets = _read_packets(container, stream, limits)
    frames = packets.count
    if frames == 0:
        raise UnreadableMedia("holds no frames")
    if promised and frames < promised:
        raise UnreadableMedia(f"truncated: {frames} of {promised} frames")
    fps = _rate_of(stream)
    if frames / fps > limits.seconds:
        raise UnreadableMedia(f"is longer than {limits.seconds} seconds")
    first, times = _decode_ends(container, stream), packets.times(1 / fps)
    sounds = {_named_sound(sound) for sound in container.streams.audio[:1]}
    return VideoFacts(
        width=context.width,
        height=context.height,
        fps=fps,
        frames=frames,
        seconds=round(times["ends"] - times["begins"], 6),
        has_sound=bool(sounds),
        hidden=packets.hidden,
        **times,
        sound_ends=packets.sound_ends,
        pixel=stream.sample_aspect_ratio or Fraction(1),
        turn=orientation_of(first),
        is_played=_has_played_pictures(context) and sounds <= PLAYED_SOUND,
        is_in_order=not packets.is_broken,
    )


def _rate_of(stream: "av.VideoStream") -> float:
    fps = float(stream.average_rate or stream.guessed_rate or 0)
    if fps <= 0:
        raise UnreadableMedia("has no frame rate")
    if fps > FASTEST:
        raise UnreadableMedia(f"claims {fps:,.0f} frames a second; at most {FASTEST:,} are read")
    return fps


def orientation_of(frame: "av.VideoFrame") -> Orientation:
    """How the picture is to be turned before it is shown."""
    try:
        notes: list[Any] = list(frame.side_data)
    except ValueError:  # a kind of note that the library has no name for
        return BY_ANGLE.get(round(frame.rotation / 90) % 4, UPRIGHT)
    return next((Orientation.of(bytes(note)) for note in notes if note.type.name == "DISPLAYMATRIX"), UPRIGHT)


def _has_played_pictures(context: "av.VideoCodecContext") -> bool:
    is_plain = context.name == "h264" and context.pix_fmt == "yuv420p" and context.color_range != FULL_RANGE
    matrix = context.colorspace
    return is_plain and (matrix in {*BT601, BT709} or (matrix == UNSAID and context.height < SD))


def _pictures_of(container: "av.container.InputContainer") -> "av.VideoStream":
    """The first video stream; raises UnreadableMedia if it can't be displayed at its size."""
    if (count := len(container.streams)) > MOST_STREAMS:
        raise UnreadableMedia(f"holds {count:,} streams; at most {MOST_STREAMS} are read")
    if not container.streams.video:
        raise UnreadableMedia("holds no video")
    stream = container.streams.video[0]
    context = stream.codec_context
    if context is None:
        raise UnreadableMedia("its encoding is unknown")
    if not (0 < context.width <= MAX_SIDE and 0 < context.height <= MAX_SIDE):
        raise UnreadableMedia(f"is {context.width} × {context.height} pixels")
    return stream


def _named_sound(stream: "av.AudioStream") -> str:
    """The codec's name; raises UnreadableMedia if the sample rate is impossible."""
    context = stream.codec_context
    if context is None:
        raise UnreadableMedia("the encoding of its sound is unknown")
    if context.sample_rate not in SOUND_RATES:
        raise UnreadableMedia(f"its sound claims {context.sample_rate:,} samples a second")
    return context.name


@dataclass
class _Packets:
    """The packets of a file's pictures and sound, read in the file's order."""

    count: int = 0
    hidden: int = 0
    pictures: list[tuple[float, float]] = field(default_factory=list)  # seconds and duration of each picture
    sound_ends: float = -inf
    last_decoded: int | None = None  # in the stream's units
    is_broken: bool = False

    def add(self, packet: "av.Packet") -> None:
        """Take the next picture: it needs a place in the order of decoding, and none is shown before the keyframe."""
        self.count += 1
        self.hidden += packet.is_discard
        self.is_broken |= packet.pts is None or packet.dts is None or packet.is_discard
        if packet.pts is None or packet.is_discard:
            return
        seconds = float(packet.pts * packet.time_base)
        self.is_broken |= seconds < self.pictures[0][0] if self.pictures else not packet.is_keyframe
        if packet.dts is not None:
            self.is_broken |= self.last_decoded is not None and packet.dts <= self.last_decoded
            self.last_decoded = packet.dts
        self.pictures.append((seconds, float((packet.duration or 0) * packet.time_base)))

    def times(self, frame: float) -> dict[str, float]:
        """Begin, end and the longest picture, in seconds; `frame` is the usual duration of a picture."""
        pictures = sorted(self.pictures) or [(0.0, 0.0)]
        begins, (last, lasts) = pictures[0][0], pictures[-1]
        untimed = self.count - self.hidden - len(self.pictures)
        ends = max(last + (lasts or frame), begins + (self.count - self.hidden) * frame if untimed else -inf)
        starts = [seconds for seconds, _ in pictures]
        longest = max(after - before for before, after in zip(starts, [*starts[1:], ends], strict=True))
        return {"begins": begins, "ends": ends, "longest_picture": longest}


def _read_packets(container: "av.container.InputContainer", stream: "av.VideoStream", limits: MediaLimits) -> _Packets:
    """Read all packets; raises UnreadableMedia if there are too many, or if video or sound is longer than the limit."""
    found, begins = _Packets(), float((stream.start_time or 0) * (stream.time_base or 0))
    for packet in container.demux([stream, *container.streams.audio[:1]]):
        is_picture = packet.stream.index == stream.index
        if is_picture and packet.is_corrupt:
            raise UnreadableMedia(f"damaged after {found.count} frames")
        if packet.pts is not None:
            ends = float((packet.pts + (packet.duration or 0)) * packet.time_base)
            if ends - begins > limits.seconds + SLACK:
                raise UnreadableMedia(f"is longer than {limits.seconds} seconds")
            if not is_picture:
                found.sound_ends = max(found.sound_ends, ends)
        if is_picture and packet.size:
            found.add(packet)
        if found.count > limits.frames:
            raise UnreadableMedia(f"has more than {limits.frames} frames")
    return found


def _decode_ends(container: "av.container.InputContainer", stream: "av.VideoStream") -> "av.VideoFrame":
    """Check that the first and last frames decode, as a file of the right length may still be garbage; the first."""
    ends = (0,) if container.format.name in WITHOUT_INDEX else (stream.duration or 0, 0)
    for position in ends:
        container.seek(position, stream=stream)
        first: av.VideoFrame | None = next(container.decode(stream), None)
        if first is None:
            raise UnreadableMedia("its frames can't be decoded")
    assert first is not None
    return first


def reason_of(error: Exception) -> str:
    """The error as text, without the local paths in the system's own messages."""
    return getattr(error, "strerror", "") or str(error) or type(error).__name__
