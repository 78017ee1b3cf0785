"""Extracts single pictures from a video, and cuts its beginning into a new file."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from scenes.media_files import opened
from scenes.whole_files import whole

OPTIONS = {"preset": "veryfast", "crf": "20", "threads": "1"}
MP4 = {"movflags": "faststart", "fflags": "+bitexact"}
FASTEST = 60  # frames per second; files that claim more are read at this rate
HALF_A_FRAME = 0.005  # seconds; times in annotations are rounded

Best = Callable[[str, Sequence[Any]], int]  # words and pictures -> which picture fits the words best


class Unread(Exception):
    """The picture or the video can't be read; the message says why."""


@dataclass(frozen=True)
class WantedFrame:
    """A picture to extract from a video: of these moments (in seconds), the one that best fits the words."""

    video: Path
    moments: tuple[float, ...]
    phrase: str = ""


def write_frame(wanted: WantedFrame, path: Path, best: Best | None) -> None:
    """Write the picture as PNG, the best of them if there are several moments."""
    if len(wanted.moments) > 1 and best is None:
        raise Unread("which picture fits the caption is found by a model: name its folder with --matcher")
    with _reading(wanted.video) as container:
        stream = container.streams.video[0]
        pictures = [_frame(container, stream, moment) for moment in wanted.moments]
    place = best(wanted.phrase, pictures) if best and len(pictures) > 1 else 0
    with whole(path) as temporary:
        Image.fromarray(pictures[place]).save(temporary, "PNG")


@contextmanager
def _reading(video: Path) -> Iterator[Any]:
    """The opened video; Unread says that it is missing or broken."""
    if not video.is_file():
        raise Unread(f"{video.name} is missing")
    try:
        with opened(video) as container:
            yield container
    except (av.FFmpegError, OSError, ValueError, IndexError, EOFError) as error:
        raise Unread(f"{video.name} can't be read: {getattr(error, 'strerror', '') or error}") from None


def _frame(container: Any, stream: Any, moment: float) -> np.ndarray:
    """The last frame that begins at or before this moment."""
    first = float((stream.start_time or 0) * stream.time_base)
    container.seek(max(0, int((first + moment) / stream.time_base)), stream=stream)
    latest = None
    for frame in container.decode(stream):
        if latest is not None and float(frame.time or 0) - first > moment + HALF_A_FRAME:
            break
        latest = frame
    if latest is None:
        raise ValueError(f"there is nothing at {moment:g} s")
    return np.asarray(latest.to_ndarray(format="rgb24"), dtype=np.uint8)


def cut(video: Path, target: Path, *, until: float | None) -> None:
    """Write the video without sound, up to `until` seconds."""
    with (
        _reading(video) as read,
        whole(target) as temporary,
        av.open(str(temporary), "w", format="mp4", options=MP4) as written,
    ):
        _copy_pictures(read, written, until)


def _copy_pictures(read: Any, written: Any, until: float | None) -> None:
    track = read.streams.video[0]
    rate = min(Fraction(track.average_rate or 25).limit_denominator(1001), Fraction(FASTEST))
    stream = written.add_stream("libx264", rate=rate, options=OPTIONS)
    stream.width, stream.height = track.width // 2 * 2, track.height // 2 * 2
    stream.pix_fmt = "yuv420p"
    first, number = float((track.start_time or 0) * (track.time_base or 0)), -1
    for frame in read.decode(track):
        seconds = float(frame.time or 0) - first
        if until is not None and seconds >= until:
            break
        number = max(number + 1, round(seconds * rate))
        picture = frame.reformat(stream.width, stream.height, "yuv420p")
        picture.pts, picture.time_base = number, 1 / rate
        picture.pict_type = av.video.frame.PictureType.NONE
        written.mux(stream.encode(picture))
    if number < 0:
        raise ValueError("nothing is left of it")
    written.mux(stream.encode(None))
