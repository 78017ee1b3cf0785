"""A simple listener: cepstral features of a sound, and the nearest known recording."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct
from scipy.signal import stft

BANDS, LOWEST = 40, 40.0  # of the mel scale, Hz
COEFFICIENTS = 20
WINDOW, HOP = 0.032, 0.010  # seconds
QUIET = 1e-4  # of the loudest moment: anything softer is the room's noise
Floats = NDArray[np.float64]


def log_mel(samples: Floats, rate: int) -> Floats:
    """Logarithm of the power in each mel band and moment [bands, moments]."""
    length, hop = round(WINDOW * rate), round(HOP * rate)
    frequencies, _, spectrum = stft(samples, rate, nperseg=length, noverlap=length - hop)
    return np.asarray(np.log(_bands(frequencies, rate) @ np.abs(spectrum) ** 2 + 1e-12))


def features(samples: Floats, rate: int) -> Floats:
    """Mean and standard deviation of the mel-frequency cepstral coefficients over the moments that are not quiet."""
    spectrogram = log_mel(samples, rate)
    power = np.exp(spectrogram).sum(axis=0)
    cepstra = dct(spectrogram[:, power > QUIET * power.max()], axis=0, norm="ortho")[:COEFFICIENTS]
    return np.concatenate([cepstra.mean(axis=1), cepstra.std(axis=1)])


def nearest(known: Floats, names: Sequence[str], vector: Floats) -> list[str]:
    """The name of the nearest known row for each row of `asked`; features are scaled by the known rows' spread."""
    spread = known.std(axis=0) + 1e-9
    distances = np.linalg.norm((vector[:, None] - known[None]) / spread, axis=2)
    return [names[place] for place in distances.argmin(axis=1)]


def _bands(frequencies: Floats, rate: int) -> Floats:
    """Triangular filters evenly spaced on the mel scale [bands, frequencies]."""
    top = 2595 * np.log10(1 + rate / 2 / 700)
    bottom = 2595 * np.log10(1 + LOWEST / 700)
    edges = 700 * (10 ** (np.linspace(bottom, top, BANDS + 2) / 2595) - 1)
    rising = (frequencies - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - frequencies) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0, np.minimum(rising, falling))
