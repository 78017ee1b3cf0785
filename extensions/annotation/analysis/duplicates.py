"""Finds clips of the same moment: both contain the same stretch of sound. Pure."""

import numpy as np
from numpy.typing import NDArray

from extensions.annotation.analysis.loudness import RATE, Samples

COARSE_RATE = 4_000  # Hz of the coarse sound stored for every clip
LEAST = 1.0  # seconds that two clips must share
ALIKE = 0.9  # minimum correlation of the same sound; re-encoding leaves about 0.99
QUIETEST = 1e-6  # mean square below which a stretch is too quiet to compare
STEP = RATE // COARSE_RATE
Coarse = NDArray[np.float32]


def coarse(samples: Samples) -> Coarse:
    """A 16 kHz sound reduced to 4 kHz: each sample is the mean of four."""
    count = len(samples) // STEP
    return np.asarray(samples[: count * STEP].reshape(count, STEP).mean(axis=1), dtype=np.float32)


def overlap(one: Coarse, other: Coarse) -> float:
    """The number of seconds that two coarse sounds have in common; 0.0 below one second.

    The correlation covers exactly the overlapping part, at every shift of one sound against the other.
    """
    length = len(one) + len(other) - 1
    size = 1 << (length - 1).bit_length()
    spectra = np.fft.rfft(one, size) * np.conj(np.fft.rfft(other, size))
    products = np.fft.irfft(spectra, size)
    shifts = np.arange(-(len(other) - 1), len(one))  # start of `other` in `one`, in samples
    products = products[shifts % size]
    first, last = np.maximum(shifts, 0), np.minimum(shifts + len(other), len(one))
    shared = last - first
    powers = [_energy(one, first, last), _energy(other, first - shifts, last - shifts)]
    enough = (shared >= LEAST * COARSE_RATE) & (np.minimum(*powers) > QUIETEST * shared)
    alike = products[enough] / np.sqrt(powers[0][enough] * powers[1][enough])
    if not len(alike) or alike.max() < ALIKE:
        return 0.0
    return float(shared[enough][alike.argmax()] / COARSE_RATE)


def _energy(sound: Coarse, first: NDArray[np.int_], last: NDArray[np.int_]) -> NDArray[np.float64]:
    """Energy of every stretch, from running sums."""
    running = np.concatenate([[0.0], np.cumsum(np.square(sound, dtype=np.float64))])
    return np.asarray(running[last] - running[first])
