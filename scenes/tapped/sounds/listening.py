"""What a listener hears: the power of a sound in mel bands."""

import numpy as np
from numpy.typing import NDArray
from scipy.signal import stft

BANDS, LOWEST = 40, 40.0  # of the mel scale, Hz
WINDOW, HOP = 0.032, 0.010  # seconds
Floats = NDArray[np.float64]


def log_mel(samples: Floats, rate: int) -> Floats:
    """Logarithm of the power in each mel band and moment [bands, moments]."""
    length, hop = round(WINDOW * rate), round(HOP * rate)
    frequencies, _, spectrum = stft(samples, rate, nperseg=length, noverlap=length - hop)
    return np.asarray(np.log(_bands(frequencies, rate) @ np.abs(spectrum) ** 2 + 1e-12))


def _bands(frequencies: Floats, rate: int) -> Floats:
    """Triangular filters evenly spaced on the mel scale [bands, frequencies]."""
    top = 2595 * np.log10(1 + rate / 2 / 700)
    bottom = 2595 * np.log10(1 + LOWEST / 700)
    edges = 700 * (10 ** (np.linspace(bottom, top, BANDS + 2) / 2595) - 1)
    rising = (frequencies - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - frequencies) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(rising, falling))
