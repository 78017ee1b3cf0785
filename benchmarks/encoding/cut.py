"""What is read of a long video before it is cut: its keyframes, and small frames for shot detection."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.encoding.encode import start_of
from scenes.media_files import opened

PIECE = 256  # frames decoded at a time


def keyframes_of(path: Path) -> list[float]:
    """Times of the keyframes, in seconds from the first frame; clips are cut there."""
    with opened(path) as container:
        stream = container.streams.video[0]
        start = start_of(stream)
        times = (packet.pts for packet in container.demux(stream) if packet.is_keyframe and packet.pts is not None)
        return sorted(float(time * (stream.time_base or 0)) - start for time in times)


def small_frames(path: Path, width: int, height: int) -> Iterator[NDArray[np.uint8]]:
    """Yield all frames in RGB at this size, in chunks. Shape: frames, height, width, 3."""
    with opened(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "SLICE"
        held = []
        for frame in container.decode(stream):
            held.append(frame.reformat(width, height, "rgb24").to_ndarray())
            if len(held) == PIECE:
                yield np.stack(held)
                held = []
        if held:
            yield np.stack(held)
