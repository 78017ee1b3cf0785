"""What a video file holds, found within bounds: a broken or absurd file is a problem in words, never a crash."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av

MAX_SIDE = 4_096
GIGABYTE = 1024**3
# Playlists, scripts of pictures and the like are no files of their own: they would have others opened.
CONTAINERS = "mov,matroska,avi,ogg,mpegts,flv,asf,mpeg"
PLAYED_SOUND = {"aac", "mp3", "mp3float"}


class UnreadableMedia(ValueError):
    """The file can't be shown; the message says why."""


MEDIA_ERRORS = (UnreadableMedia, av.FFmpegError, OSError, ValueError)  # what a strange file can raise


@dataclass(frozen=True)
class Limits:
    """The largest file that is opened."""

    frames: int = 20_000
    seconds: int = 1_800
    gigabytes: int = 2


OF_CLIPS = Limits()


@dataclass(frozen=True)
class VideoFacts:
    """A readable video."""

    width: int
    height: int
    fps: float
    frames: int
    seconds: float
    can_be_copied: bool  # H.264 in yuv420p, with AAC or MP3 or no sound: every browser plays it as it is
    has_sound: bool = False


def opened(path: Path, **options: Any) -> "av.container.InputContainer":
    """A file to be read; titles and the like that are no UTF-8, as old cameras write them, break nothing."""
    return av.open(str(path), metadata_errors="replace", **options)


def probe(path: Path, limits: Limits = OF_CLIPS) -> VideoFacts:
    """Count the frames without decoding them, then see that the first and the last can be decoded."""
    if path.stat().st_size > limits.gigabytes * GIGABYTE:
        raise UnreadableMedia(f"larger than {limits.gigabytes} GB")
    try:
        with opened(path, options={"format_whitelist": CONTAINERS}) as container:
            return _facts(container, limits)
    except MemoryError:  # the decoder's own, too: what we had too little of is no fault of the file
        raise
    except (av.FFmpegError, EOFError) as error:
        raise UnreadableMedia(f"not a readable video ({_reason(error)})") from None


def _facts(container: "av.container.InputContainer", limits: Limits) -> VideoFacts:
    if not container.streams.video:
        raise UnreadableMedia("holds no video")
    stream = container.streams.video[0]
    context = stream.codec_context
    if context is None:
        raise UnreadableMedia("its encoding is unknown")
    if not (0 < context.width <= MAX_SIDE and 0 < context.height <= MAX_SIDE):
        raise UnreadableMedia(f"is {context.width} × {context.height} pixels")
    promised = stream.frames
    frames = _count_packets(container, stream, limits.frames)
    if frames == 0:
        raise UnreadableMedia("holds no frames")
    if promised and frames < promised:
        raise UnreadableMedia(f"truncated: {frames} of {promised} frames")
    fps = float(stream.average_rate or stream.guessed_rate or 0)
    if fps <= 0:
        raise UnreadableMedia("has no frame rate")
    if frames / fps > limits.seconds:
        raise UnreadableMedia(f"is longer than {limits.seconds} seconds")
    _decode_ends(container, stream)
    sounds = {sound.codec_context.name for sound in container.streams.audio[:1]}
    copied = context.name == "h264" and context.pix_fmt == "yuv420p" and sounds <= PLAYED_SOUND
    return VideoFacts(context.width, context.height, fps, frames, frames / fps, copied, bool(sounds))


def _count_packets(container: "av.container.InputContainer", stream: "av.VideoStream", most: int) -> int:
    count = 0
    for packet in container.demux(stream):
        if packet.is_corrupt:
            raise UnreadableMedia(f"damaged after {count} frames")
        count += packet.size > 0
        if count > most:
            raise UnreadableMedia(f"has more than {most} frames")
    return count


def _decode_ends(container: "av.container.InputContainer", stream: "av.VideoStream") -> None:
    """A file of the right length may still hold rubbish."""
    for position in (0, stream.duration or 0):
        container.seek(position, stream=stream)
        if next(container.decode(stream), None) is None:
            raise UnreadableMedia("its frames can't be decoded")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", "") or type(error).__name__
