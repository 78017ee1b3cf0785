"""Still pictures: those of a release, and those made from a clip by PACS' preparation.

The latter are the middle frame, the frame with its box drawn, and the square crop around the box.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, UnidentifiedImageError

from benchmarks.encoding.boxes import Box, square_around
from benchmarks.encoding.encode import POSTER_WIDTH
from benchmarks.encoding.even_frames import scaled_size
from benchmarks.encoding.probe import UnreadableMedia
from scenes.media_files import MAX_SIDE, opened

RED = (255, 0, 0)
LINE = 2  # pixels
PICTURE_ERRORS = (UnreadableMedia, OSError, ValueError, SyntaxError)  # errors caused by untrusted pictures
FORMATS = ("PNG", "JPEG")
LARGEST_FILE = 64 * 2**20  # bytes
Picture = NDArray[np.uint8]  # height, width, 3; RGB


def middle_frame(path: Path, frames: int) -> Picture:
    """The middle frame of `frames` frames; the later one if there are two."""
    with opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        for index, frame in enumerate(container.decode(stream)):
            if index == frames // 2:
                return np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)
    raise UnreadableMedia(f"ends before its middle, frame {frames // 2}")


def frames_at(path: Path, wanted: Sequence[int]) -> list[Picture]:
    """These frames in their order, at the size that models get. Raises MEDIA_ERRORS."""
    from av.video.reformatter import VideoReformatter

    found: dict[int, Picture] = {}
    reformatter = VideoReformatter()
    with opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        for index, frame in enumerate(container.decode(stream)):
            if index in wanted:
                width, height = scaled_size(frame.width, frame.height)
                resized = reformatter.reformat(frame, width, height, format="rgb24", interpolation="AREA")
                found[index] = np.asarray(resized.to_ndarray(), dtype=np.uint8)
            if index >= max(wanted):
                break
    if missing := set(wanted) - found.keys():
        raise UnreadableMedia(f"ends before frame {min(missing)}")
    return [found[index] for index in wanted]


def with_box(picture: Picture, box: Box, line: int = LINE) -> Picture:
    """A copy with the box drawn in pure red, its lines inside the box's edges."""
    image = Image.fromarray(picture)
    left, top, right, bottom = box
    ImageDraw.Draw(image).rectangle((left, top, right - 1, bottom - 1), outline=RED, width=line)
    return np.asarray(image, dtype=np.uint8)


def cut(picture: Picture, place: Box) -> Picture:
    left, top, right, bottom = place
    return picture[top:bottom, left:right]


def square_crop(picture: Picture, box: Box) -> Picture:
    """The square crop without the box drawn, as the paper describes (its own script leaves the box in)."""
    return cut(picture, square_around(box, (picture.shape[1], picture.shape[0])))


def square_crop_with_box(picture: Picture, box: Box) -> Picture:
    """The square crop with the box drawn."""
    return cut(with_box(picture, box), square_around(box, (picture.shape[1], picture.shape[0])))


def write_still(source: Path, picture: Path, poster: Path) -> tuple[int, int]:
    """Write a clean PNG and a small JPEG; return width and height. Raises PICTURE_ERRORS for an unreadable file."""
    image = _read_still(source)
    image.save(picture, "PNG")
    size = image.size
    image.thumbnail((POSTER_WIDTH, POSTER_WIDTH))
    image.save(poster, "JPEG", quality=82, optimize=True)
    return size


def _read_still(source: Path) -> Image.Image:
    """The pixels only: a new file would otherwise inherit comments and colour profiles."""
    if source.stat().st_size > LARGEST_FILE:
        raise UnreadableMedia(f"larger than {LARGEST_FILE // 2**20} MB")
    try:
        with Image.open(source, formats=FORMATS) as found:
            if max(found.size) > MAX_SIDE:
                raise UnreadableMedia(f"is {found.width} × {found.height} pixels")
            image = found.convert("RGB")
    except UnidentifiedImageError:
        raise UnreadableMedia("is neither PNG nor JPEG") from None
    except Image.DecompressionBombError:
        raise UnreadableMedia(f"has more pixels than {MAX_SIDE} × {MAX_SIDE}") from None
    image.info = {}
    return image


def write_png(picture: Picture, path: Path) -> None:
    Image.fromarray(np.ascontiguousarray(picture)).save(path, "PNG")
