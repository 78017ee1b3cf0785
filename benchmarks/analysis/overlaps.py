"""Whether two clips show the same moment: the same stretch of sound in both. Pure."""

import numpy as np
from numpy.typing import NDArray

from benchmarks.analysis.noises import RATE, Samples

COARSE_RATE = 4_000  # Hz; of the coarse sound that is kept of every clip
LEAST = 1.0  # seconds that two clips must share
ALIKE = 0.9  # correlation from which the stretches are the same sound; encoding it again leaves about 0.99
QUIETEST = 1e-6  # mean square below which a stretch has nothing to compare
STEP = RATE // COARSE_RATE
Coarse = NDArray[np.float32]


def coarse(samples: Samples) -> Coarse:
    """A sound at 16 kHz in a quarter of the samples, each the mean of four."""
    count = len(samples) // STEP
    return np.asarray(samples[: count * STEP].reshape(count, STEP).mean(axis=1), dtype=np.float32)


def overlap(one: Coarse, other: Coarse) -> float:
    """Seconds that two coarse sounds have in common; 0.0 where no stretch of a second or more is the same.

    The correlation is taken over exactly what would overlap, at every shift of the two against each other.
    """
    length = len(one) + len(other) - 1
    size = 1 << (length - 1).bit_length()
    spectra = np.fft.rfft(one, size) * np.conj(np.fft.rfft(other, size))
    products = np.fft.irfft(spectra, size)
    shifts = np.arange(-(len(other) - 1), len(one))  # `other` begins so many samples into `one`
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
    """Of every stretch, from running sums."""
    running = np.concatenate([[0.0], np.cumsum(np.square(sound, dtype=np.float64))])
    return np.asarray(running[last] - running[first])
