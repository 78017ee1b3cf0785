"""Still pictures: those of a release, posters of clips, and those of PACS' preparation.

The last are the middle frame with its box drawn and the square crop around the box.
"""

import bisect
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, UnidentifiedImageError

from benchmarks.encoding.boxes import Box, square_around
from benchmarks.encoding.frames import Picture, frames
from benchmarks.encoding.probe import UnreadableMedia
from benchmarks.policy import LIMITS
from scenes.media_files import MAX_SIDE

RED = (255, 0, 0)
POSTER_WIDTH = 480
CLOSE = 1e-6  # seconds
LINE = 2  # pixels
PICTURE_ERRORS = (UnreadableMedia, OSError, ValueError, SyntaxError)  # errors caused by untrusted pictures
FORMATS = ("PNG", "JPEG")
LARGEST_FILE = LIMITS["picture"].most


def with_box(picture: Picture, box: Box) -> Picture:
    """A copy with the box drawn in pure red, its lines inside the box's edges."""
    image = Image.fromarray(picture)
    left, top, right, bottom = box
    ImageDraw.Draw(image).rectangle((left, top, right - 1, bottom - 1), outline=RED, width=LINE)
    return np.asarray(image, dtype=np.uint8)


def square_crop(picture: Picture, box: Box) -> Picture:
    """The square crop without the box drawn, as the paper describes (its own script leaves the box in)."""
    left, top, right, bottom = square_around(box, (picture.shape[1], picture.shape[0]))
    return picture[top:bottom, left:right]


def square_crop_with_box(picture: Picture, box: Box) -> Picture:
    """The square crop with the box drawn."""
    return square_crop(with_box(picture, box), box)


def write_poster(source: Path, target: Path, share: float = 0.5) -> None:
    """Write the first picture at or after this share of the clip's time as a small JPEG; raises UnreadableMedia."""

    def wanted(times: Sequence[float]) -> tuple[int]:
        return (bisect.bisect_left(times, times[0] + share * (times[-1] - times[0]) - CLOSE),)

    chosen = next(frames(source, wanted, longest=MAX_SIDE, threads=1))
    _write_poster(Image.fromarray(chosen.picture), target)


def _write_poster(image: Image.Image, target: Path) -> None:
    image.thumbnail((POSTER_WIDTH, POSTER_WIDTH))
    image.save(target, "JPEG", quality=82, optimize=True)


def write_still(source: Path, picture: Path, poster: Path) -> tuple[int, int]:
    """Write a clean PNG and a small JPEG; return width and height. Raises PICTURE_ERRORS for an unreadable file."""
    image = _read_still(source)
    image.save(picture, "PNG")
    size = image.size
    _write_poster(image, poster)
    return size


def _read_still(source: Path) -> Image.Image:
    """The pixels only: a new file would otherwise inherit comments and colour profiles."""
    if source.stat().st_size > LARGEST_FILE:
        raise UnreadableMedia(f"larger than {LIMITS['picture'].words}")
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
