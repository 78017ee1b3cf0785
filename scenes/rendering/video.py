"""Pictures -> video file, with one encoder setting for every clip, so that files differ only in their pictures."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

import av
from av.container import OutputContainer
from av.video.reformatter import VideoReformatter
from av.video.stream import VideoStream

from scenes.rendering.looks import pictures_in
from scenes.rendering.mujoco_renderer import RenderedFrame
from scenes.rendering.video_file import video_file
from scenes.scene import LOOK, STEP, Look
from scenes.trajectory import Trajectory

ENCODER: Final = "libx264"
# One thread, so that the same pictures give the same bytes; cores are used by several processes.
OPTIONS = {"preset": "veryfast", "crf": "19", "threads": "1", "bf": "2"}
KEYFRAME_SECONDS = 0.5


class UnusableVideoFormat(ValueError):
    """The size or the frame rate is not possible: the caller's mistake."""


@dataclass(frozen=True)
class Rendering:
    """How many frames of a video were drawn, and how many repeat the frame before."""

    rendered: int
    reused: int


def render(
    trajectory: Trajectory, path: Path, *, size: tuple[int, int] = (640, 480), fps: int = 50, look: Look = LOOK
) -> Rendering:
    """Render the trajectory into an mp4 file; it gets its name only when it is complete."""
    states = range(0, len(trajectory), states_a_frame(size, fps))
    return encode(pictures_in(look, trajectory, size, states), path, size, fps)


def states_a_frame(size: tuple[int, int], fps: int) -> int:
    """Number of recorded states for each frame; UnusableVideoFormat if the size or the frame rate can't be encoded
    evenly."""
    width, height = size
    if not (16 <= width <= 1920 and 16 <= height <= 1080) or width % 2 or height % 2:
        raise UnusableVideoFormat(f"size {width}x{height}: both must be even, at least 16, at most 1920x1080")
    recorded = round(1 / STEP)
    if fps < 1 or recorded % fps:
        raise UnusableVideoFormat(f"fps {fps}: must divide {recorded}, for instance 50, 25 or 10")
    return recorded // fps


def encode(frames: Iterable[RenderedFrame], path: Path, size: tuple[int, int], fps: int) -> Rendering:
    """Write pictures of this (width, height) into an mp4 file at `fps` frames a second."""
    with video_file(path) as container:
        return encode_into(container, stream_for(container, size, fps), frames, fps)


def encode_into(
    container: OutputContainer, stream: VideoStream, frames: Iterable[RenderedFrame], fps: int
) -> Rendering:
    """Write RGB or RGBA pictures into the stream; a picture that is not new repeats the frame before it."""
    rendered = reused = 0
    # One on one thread for all frames: creating one or waking its threads takes longer than a picture.
    colours = VideoReformatter()
    for number, picture in enumerate(frames):
        if picture.is_new:
            form = {3: "rgb24", 4: "rgba"}[picture.pixels.shape[2]]
            frame = colours.reformat(av.VideoFrame.from_ndarray(picture.pixels, form), format="yuv420p", threads=1)
        rendered += picture.is_new
        reused += not picture.is_new
        frame.pts, frame.time_base = number, Fraction(1, fps)
        container.mux(stream.encode(frame))
    container.mux(stream.encode(None))
    return Rendering(rendered, reused)


def stream_for(container: OutputContainer, size: tuple[int, int], fps: int) -> VideoStream:
    """The video stream of a file being written, with the one encoder setting."""
    distance = max(1, round(fps * KEYFRAME_SECONDS))
    keyframes = {"x264-params": f"keyint={distance}:min-keyint={distance}:scenecut=0"}
    stream = container.add_stream(ENCODER, rate=fps, options=OPTIONS | keyframes)
    stream.width, stream.height = size
    stream.pix_fmt = "yuv420p"
    stream.time_base = stream.codec_context.time_base = Fraction(1, fps)
    return stream
