"""Draws the red box that marks the object in question on the clip's middle frame."""

import bisect

import numpy as np

from benchmarks.encoding.boxes import Box, scaled
from benchmarks.models import Clip
from benchmarks.storage.renditions import box_of
from evaluation.adapters.base import BoundingBox, Frames
from evaluation.inputs.frames import digest_of, frames_of

RED = (255, 0, 0)
LINE = 2  # pixels, as PACS draws it


def boxed(frames: Frames, clip: Clip, *, condition: str) -> Frames:
    """The frames including the clip's middle frame with its box drawn; unchanged if the clip has no box.

    The box applies only to the middle frame. If that frame is missing, it is inserted at its time, or at the end of
    shuffled frames. A condition that shows a single other frame shows it without a box.
    """
    box, middle = box_of(clip), clip.frames // 2
    if box is None or (len(frames) == 1 and frames.indices != (middle,)):
        return frames
    is_extra = middle not in frames.indices
    if not is_extra:
        place, pixels, indices, times = (
            frames.indices.index(middle),
            np.array(frames.pixels),
            frames.indices,
            frames.times,
        )
    else:
        one = frames_of(clip, "middle")
        place = len(frames) if condition == "shuffled-frames" else bisect.bisect(frames.indices, middle)
        pixels = np.insert(np.asarray(frames.pixels), place, one.pixels[0], axis=0)
        indices = (*frames.indices[:place], middle, *frames.indices[place:])
        times = (*frames.times[:place], one.times[0], *frames.times[place:])
    height, width = pixels.shape[1:3]
    mark = BoundingBox(
        place, scaled(box, reference=(clip.width, clip.height), to=(width, height)), pixels[place].copy(), is_extra
    )
    draw(pixels[place], mark.box)
    return Frames(pixels, indices, times, digest_of(pixels), frames.duration_seconds, frames.fps, mark)


def draw(picture: np.ndarray, box: Box) -> None:
    """Draw the box into the picture [height, width, 3], with its lines inside the box's edges."""
    left, top, right, bottom = box
    for rows, columns in (
        (slice(top, top + LINE), slice(left, right)),
        (slice(bottom - LINE, bottom), slice(left, right)),
        (slice(top, bottom), slice(left, left + LINE)),
        (slice(top, bottom), slice(right - LINE, right)),
    ):
        picture[rows, columns] = RED
