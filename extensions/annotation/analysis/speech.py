"""Speech detection by Silero VAD (MIT licence, weights inside the package)."""

from functools import cache
from typing import Any

import numpy as np
import torch
from silero_vad import load_silero_vad

from extensions.annotation.analysis.sound_filter import RATE, WINDOW, Flags, Samples

CHUNK = 512  # samples per step of the model, at 16 kHz
SPEECH_FROM = 0.5  # probability, the model's own threshold


@cache
def detector() -> Any:
    """The model, loaded once; its state is reset for every sound."""
    return load_silero_vad()


def speech_in(samples: Samples) -> np.ndarray:
    """Probability of speech for each 32 ms of a mono sound at 16 kHz. Shape: chunks."""
    if not len(samples):
        return np.zeros(0)
    with torch.inference_mode():
        probabilities = detector().audio_forward(torch.from_numpy(np.array(samples, dtype=np.float32))[None], sr=RATE)
    return np.asarray(probabilities[0].numpy())


def talking(samples: Samples) -> Flags:
    """Which half-second windows contain talking: the model detects speech in at least half of the window."""
    speech = speech_in(samples) >= SPEECH_FROM
    middles = (np.arange(len(speech)) + 0.5) * CHUNK
    windows = (middles // WINDOW).astype(int)
    count = len(samples) // WINDOW
    return np.array([bool(speech[windows == window].mean() >= 0.5) for window in range(count)], dtype=np.bool_)
