"""A dark clip with one flash, for measuring the delay of a key press."""

from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import numpy as np
from av.video.stream import VideoStream

from scenes.rendering.video_file import video_file

ENCODER, OPTIONS = "libx264", {"preset": "veryfast", "crf": "23", "threads": "1"}
SIZE, FPS = (320, 240), 50
DARK, BRIGHT = 40, 235  # of 255
FLASH_SECONDS = 0.2


def write_flash(path: Path, *, seconds: float, at: float) -> None:
    """Write a clip of this length whose picture turns bright at the second `at`, for a fifth of a second."""
    shades = {False: _picture(DARK), True: _picture(BRIGHT)}
    with video_file(path) as container:
        stream = cast(VideoStream, container.add_stream(ENCODER, rate=FPS, options=OPTIONS))
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        for number in range(round(seconds * FPS)):
            frame = shades[at <= number / FPS < at + FLASH_SECONDS]
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def _picture(shade: int) -> av.VideoFrame:
    width, height = SIZE
    grey = np.full((height, width, 3), shade, np.uint8)
    return av.VideoFrame.from_ndarray(grey, format="rgb24").reformat(format="yuv420p")
