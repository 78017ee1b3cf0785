"""Pictures and their sound into one file: H.264 and AAC, whole or not there."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from scenes.rendering.mujoco_renderer import pictures
from scenes.rendering.video import Colours, states_a_frame, stream_for
from scenes.rendering.video_file import video_file
from scenes.tapped.sound import RATE, Sound
from scenes.trajectory import Trajectory

BITS_A_SECOND = 128_000


def write_clip(trajectory: Trajectory, sound: Sound, path: Path, *, size: tuple[int, int], fps: int) -> None:
    """Draw the trajectory and put the sound beside it; both begin at second 0."""
    every = states_a_frame(size, fps)
    with video_file(path) as container:
        stream = stream_for(container, size, fps)
        voice = container.add_stream("aac", rate=RATE, layout="mono")
        voice.bit_rate = BITS_A_SECOND
        colours = Colours()
        for number, picture in enumerate(pictures(trajectory, size, every)):
            if picture.is_new:
                frame = colours.of(picture)
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        # Starting at a stated time, so that the encoder's own delay is written down and players skip it.
        heard = av.AudioFrame.from_ndarray(sound.astype(np.float32)[None], format="fltp", layout="mono")
        heard.sample_rate, heard.pts, heard.time_base = RATE, 0, Fraction(1, RATE)
        container.mux([*voice.encode(heard), *voice.encode(None)])
