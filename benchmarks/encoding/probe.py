"""Probes video files within limits: a broken or absurd file gives an error message, never a crash."""

from dataclasses import dataclass
from pathlib import Path

import av

MAX_SIDE = 4_096
FASTEST = 1_000  # frames a second; slow-motion cameras reach 960
MOST_STREAMS = 64
SOUND_RATES = range(1_000, 400_001)  # Hz
GIGABYTE = 1024**3
SLACK = 1.0  # seconds; sound may end a little after the pictures
# No playlists, image scripts and similar formats, which would open other files.
CONTAINERS = "mov,matroska,avi,ogg,mpegts,flv,asf,mpeg"
WITHIN = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
STILL = {"format_whitelist": "png_pipe,image2"}  # pictures written by this site, as models' frames
LARGEST_PICTURE = {"max_pixels": str(MAX_SIDE**2)}  # applies also if the size grows within the stream
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
    can_be_copied: bool  # H.264 in yuv420p, with AAC, MP3 or no sound: every browser plays it
    has_sound: bool = False


def opened(path: Path) -> "av.container.InputContainer":
    """The file opened for reading; ignores metadata that is not UTF-8, as written by old cameras."""
    options = WITHIN | (STILL if path.suffix == ".png" else {})
    container = av.open(str(path), metadata_errors="replace", options=options)
    for stream in container.streams.video:
        if stream.codec_context is not None:
            stream.codec_context.options = LARGEST_PICTURE
    return container


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
    frames = _count_packets(container, stream, limits)
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
    copied = context.name == "h264" and context.pix_fmt == "yuv420p" and sounds <= PLAYED_SOUND
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


def _count_packets(container: "av.container.InputContainer", stream: "av.VideoStream", limits: MediaLimits) -> int:
    """The number of frames; raises UnreadableMedia if video or sound is longer than the limit."""
    count, begins = 0, float((stream.start_time or 0) * (stream.time_base or 0))
    for packet in container.demux([stream, *container.streams.audio[:1]]):
        is_picture = packet.stream.index == stream.index
        if is_picture and packet.is_corrupt:
            raise UnreadableMedia(f"damaged after {count} frames")
        if packet.pts is not None and float(packet.pts * packet.time_base) - begins > limits.seconds + SLACK:
            raise UnreadableMedia(f"is longer than {limits.seconds} seconds")
        count += is_picture and packet.size > 0
        if count > limits.frames:
            raise UnreadableMedia(f"has more than {limits.frames} frames")
    return count


def _decode_ends(container: "av.container.InputContainer", stream: "av.VideoStream") -> None:
    """Check that the first and last frames decode, because a file of the right length may still be garbage."""
    for position in (0, stream.duration or 0):
        container.seek(position, stream=stream)
        if next(container.decode(stream), None) is None:
            raise UnreadableMedia("its frames can't be decoded")


def reason_of(error: Exception) -> str:
    """The error as text, without the local paths in the system's own messages."""
    return getattr(error, "strerror", "") or str(error) or type(error).__name__
