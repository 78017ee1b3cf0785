"""Writes pictures and their sound to one file, H.264 and AAC; the file exists completely or not at all."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from scenes.rendering.looks import pictures_in
from scenes.rendering.video import encode_into, states_a_frame, stream_for
from scenes.rendering.video_file import video_file
from scenes.scene import Look
from scenes.tapped.sounds.sound import RATE, Sound
from scenes.trajectory import Trajectory

BITS_A_SECOND = 128_000


def write_clip(
    trajectory: Trajectory, sound: Sound, path: Path, *, size: tuple[int, int], fps: int, look: Look = "plain"
) -> None:
    """Render the trajectory and add the sound; both start at second 0."""
    every = states_a_frame(size, fps)
    with video_file(path) as container:
        stream = stream_for(container, size, fps)
        voice = container.add_stream("aac", rate=RATE, layout="mono")
        voice.bit_rate = BITS_A_SECOND
        encode_into(container, stream, pictures_in(look, trajectory, size, range(0, len(trajectory), every)), fps)
        # With a stated start time the encoder's own delay is recorded, so that players skip it.
        audio = av.AudioFrame.from_ndarray(sound.astype(np.float32)[None], format="fltp", layout="mono")
        audio.sample_rate, audio.pts, audio.time_base = RATE, 0, Fraction(1, RATE)
        container.mux([*voice.encode(audio), *voice.encode(None)])
