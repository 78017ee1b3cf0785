"""Image sequence -> a video that shows each picture for a second, for models that take only videos."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import av

from scenes.giraffe.drawing import Pixels
from scenes.rendering.video_file import video_file

ENCODER: Final = "libx264"
# One thread and no date, so that the same pictures give the same bytes.
OPTIONS = {"preset": "veryfast", "crf": "16", "threads": "1", "bf": "0"}


def film(pictures: Sequence[Pixels], path: Path, *, fps: int) -> None:
    """Write an mp4 file, which gets its name only when it is whole."""
    with video_file(path) as container:
        stream = container.add_stream(ENCODER, rate=fps, options=OPTIONS)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        for number in range(len(pictures) * fps):
            frame = av.VideoFrame.from_ndarray(pictures[number // fps][..., :3].copy(), format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
