"""Probes video files within limits: a broken or absurd file gives an error message, never a crash."""

from dataclasses import dataclass
from pathlib import Path

import av

from scenes.media_files import MAX_SIDE, opened

FASTEST = 1_000  # frames a second; slow-motion cameras reach 960
MOST_STREAMS = 64
SOUND_RATES = range(1_000, 400_001)  # Hz
GIGABYTE = 1024**3
SLACK = 1.0  # seconds; sound may end a little after the pictures
WITHOUT_INDEX = {"mpegts", "mpeg"}  # a seek to the end finds no keyframe there
PLAYED_SOUND = {"aac", "mp3", "mp3float"}


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
    """Facts about a readable video."""

    width: int
    height: int
    fps: float
    frames: int
    seconds: float
    can_be_copied: bool  # every browser plays its streams, and moving their packets loses no picture
    has_sound: bool = False


def probe(path: Path, limits: MediaLimits = OF_CLIPS) -> VideoFacts:
    """The video's facts; counts frames without decoding, then checks that the first and the last one decode."""
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
    order = PacketOrder()
    frames = _count_packets(container, stream, limits, order)
    if frames == 0:
        raise UnreadableMedia("holds no frames")
    if promised and frames < promised:
        raise UnreadableMedia(f"truncated: {frames} of {promised} frames")
    fps = float(stream.average_rate or stream.guessed_rate or 0)
    if fps <= 0:
        raise UnreadableMedia("has no frame rate")
    if fps > FASTEST:
        raise UnreadableMedia(f"claims {fps:,.0f} frames a second; at most {FASTEST:,} are read")
    if frames / fps > limits.seconds:
        raise UnreadableMedia(f"is longer than {limits.seconds} seconds")
    _decode_ends(container, stream)
    sounds = {_named_sound(sound) for sound in container.streams.audio[:1]}
    is_played = context.name == "h264" and context.pix_fmt == "yuv420p" and sounds <= PLAYED_SOUND
    copied = is_played and order.is_whole(0.5 / fps)
    return VideoFacts(context.width, context.height, fps, frames, frames / fps, copied, bool(sounds))


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
class PacketOrder:
    """Whether a stream's packets can be moved to another file without losing or delaying a picture."""

    first: float | None = None  # seconds
    last_decoded: int | None = None  # in the stream's units
    is_broken: bool = False

    def add(self, packet: "av.Packet") -> None:
        """Take the next packet: it needs a place in the order of decoding, and none is shown before the keyframe."""
        if packet.pts is None or packet.dts is None or packet.is_discard:
            self.is_broken = True
            return
        seconds = float(packet.pts * packet.time_base)
        if self.first is None:
            self.first = seconds
            self.is_broken |= not packet.is_keyframe
        self.is_broken |= seconds < self.first or (self.last_decoded is not None and packet.dts <= self.last_decoded)
        self.last_decoded = packet.dts

    def is_whole(self, tolerance: float) -> bool:
        """Whether it begins with a keyframe at 0 s, give or take `tolerance` seconds, and keeps its order."""
        return not self.is_broken and self.first is not None and abs(self.first) <= tolerance


def _count_packets(
    container: "av.container.InputContainer", stream: "av.VideoStream", limits: MediaLimits, order: PacketOrder
) -> int:
    """The number of frames; raises UnreadableMedia if video or sound is longer than the limit."""
    count, begins = 0, float((stream.start_time or 0) * (stream.time_base or 0))
    for packet in container.demux([stream, *container.streams.audio[:1]]):
        is_picture = packet.stream.index == stream.index
        if is_picture and packet.is_corrupt:
            raise UnreadableMedia(f"damaged after {count} frames")
        if packet.pts is not None and float(packet.pts * packet.time_base) - begins > limits.seconds + SLACK:
            raise UnreadableMedia(f"is longer than {limits.seconds} seconds")
        if is_picture and packet.size:
            order.add(packet)
            count += 1
        if count > limits.frames:
            raise UnreadableMedia(f"has more than {limits.frames} frames")
    return count


def _decode_ends(container: "av.container.InputContainer", stream: "av.VideoStream") -> None:
    """Check that the first and last frames decode, because a file of the right length may still be garbage."""
    ends = (0,) if container.format.name in WITHOUT_INDEX else (0, stream.duration or 0)
    for position in ends:
        container.seek(position, stream=stream)
        if next(container.decode(stream), None) is None:
            raise UnreadableMedia("its frames can't be decoded")


def reason_of(error: Exception) -> str:
    """The error as text, without the local paths in the system's own messages."""
    return getattr(error, "strerror", "") or str(error) or type(error).__name__
