"""Still pictures of a clip as PACS' preparation makes them: the middle frame, its box drawn, the square around it."""

from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from benchmarks.boxes import Box, square_around
from benchmarks.media_encoding import POSTER_WIDTH
from benchmarks.media_probing import MAX_SIDE, UnreadableMedia

RED = (255, 0, 0)
LINE = 2  # pixels
UNREADABLE = (UnreadableMedia, OSError, ValueError, SyntaxError, Image.DecompressionBombError)  # of a picture file
Picture = NDArray[np.uint8]  # height, width, 3; RGB


def middle_frame(path: Path, frames: int) -> Picture:
    """The frame in the middle of so many; of two in the middle the later one."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        for index, frame in enumerate(container.decode(stream)):
            if index == frames // 2:
                return np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)
    raise UnreadableMedia(f"ends before its middle, frame {frames // 2}")


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
    """The square around the box, without the box: what the paper describes (its own script leaves the box in)."""
    return cut(picture, square_around(box, (picture.shape[1], picture.shape[0])))


def square_crop_with_box(picture: Picture, box: Box) -> Picture:
    """The square around the box, the box drawn where it lies in the square."""
    return cut(with_box(picture, box), square_around(box, (picture.shape[1], picture.shape[0])))


def write_still(source: Path, picture: Path, poster: Path) -> tuple[int, int]:
    """A picture file as clean PNG and as small JPEG; its width and height. UNREADABLE says why it is none."""
    with Image.open(source, formats=("PNG", "JPEG")) as opened:
        if max(opened.size) > MAX_SIDE:
            raise UnreadableMedia(f"is {opened.width} × {opened.height} pixels")
        image = opened.convert("RGB")
    image.save(picture, "PNG")
    size = image.size
    image.thumbnail((POSTER_WIDTH, POSTER_WIDTH))
    image.save(poster, "JPEG", quality=82, optimize=True)
    return size


def write_png(picture: Picture, path: Path) -> None:
    Image.fromarray(np.ascontiguousarray(picture)).save(path, "PNG")
