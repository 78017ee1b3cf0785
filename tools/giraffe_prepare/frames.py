"""Extracts single pictures from a video, and cuts its beginning into a new file."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.encoding import conform
from benchmarks.encoding.encode import copy_streams
from benchmarks.encoding.probe import MEDIA_ERRORS, probe, reason_of
from scenes.media_files import opened
from scenes.whole_files import whole

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
    with _naming(wanted.video), opened(wanted.video) as container:
        stream = container.streams.video[0]
        pictures = [_frame(container, stream, moment) for moment in wanted.moments]
    place = best(wanted.phrase, pictures) if best and len(pictures) > 1 else 0
    with whole(path) as temporary:
        Image.fromarray(pictures[place]).save(temporary, "PNG")


@contextmanager
def _naming(video: Path) -> Iterator[None]:
    """Unread says that the video is missing or broken."""
    if not video.is_file():
        raise Unread(f"{video.name} is missing")
    try:
        yield
    except (*MEDIA_ERRORS, IndexError, EOFError) as error:
        raise Unread(f"{video.name} can't be read: {reason_of(error)}") from None


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
    """Write the video without sound, up to `until` seconds, in the form in which the site stores clips."""
    with _naming(video), TemporaryDirectory() as folder, whole(target) as temporary:
        found, sounding = probe(video), Path(folder) / "cut.mp4"
        conform.cut(video, sounding, found, 0.0, found.seconds if until is None else until)
        copy_streams(sounding, temporary, sound=False)
