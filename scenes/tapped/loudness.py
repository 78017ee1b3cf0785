"""Loudness of one channel by EBU R128 (ITU-R BS.1770-4), and normalisation of sounds to one loudness."""

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

TARGET = -31.0  # LUFS: low enough that the shortest click stays below full scale
CEILING = 0.89  # of full scale, -1 dB: room for what encoding adds
CLOSE = 0.05  # LU from the target
BLOCK, OVERLAP = 0.4, 0.75  # seconds, share
ABSOLUTE_GATE, RELATIVE_GATE = -70.0, -10.0
Sound = NDArray[np.float64]


class TooShort(ValueError):
    """A sound shorter than one block has no loudness."""


def loudness(samples: Sound, rate: int) -> float:
    """Integrated loudness in LUFS; minus infinity for silence."""
    weighted = _weighted(samples, rate)
    length, step = round(BLOCK * rate), round(BLOCK * (1 - OVERLAP) * rate)
    if len(weighted) < length:
        raise TooShort(f"{len(samples) / rate:.2f} s: loudness needs {BLOCK} s")
    powers = np.array([np.mean(weighted[at : at + length] ** 2) for at in range(0, len(weighted) - length + 1, step)])
    powers = powers[_lufs(powers) > ABSOLUTE_GATE]
    if not len(powers):
        return float("-inf")
    powers = powers[_lufs(powers) > _lufs(powers.mean()) + RELATIVE_GATE]
    return float(_lufs(powers.mean()))


def at_loudness(samples: Sound, rate: int, target: float = TARGET) -> Sound:
    """The sound at this loudness, with peaks above the ceiling softly limited."""
    made = samples / np.abs(samples).max()  # the absolute gate needs levels, and the input has none yet
    for _ in range(8):  # repeated: a louder sound has other blocks above the gates, and a limited one is softer
        made = made * 10 ** ((target - loudness(made, rate)) / 20)
        if np.abs(made).max() > CEILING:
            made = _bent(made)
        if abs(loudness(made, rate) - target) < CLOSE:
            break
    return made


def _bent(samples: Sound) -> Sound:
    """Soft limiter: nothing below half the ceiling changes."""
    knee = CEILING / 2
    over = np.abs(samples) > knee
    bent = knee + (CEILING - knee) * np.tanh((np.abs(samples) - knee) / (CEILING - knee))
    return np.where(over, np.sign(samples) * bent, samples)


def _lufs(power: Sound | np.floating) -> Sound:
    return np.asarray(-0.691 + 10 * np.log10(np.maximum(power, 1e-12)))


def _weighted(samples: Sound, rate: int) -> Sound:
    """K-weighting: a shelf for the head, then a high-pass, with the standard's filters at any rate."""
    shelf = _shelf(rate, 1681.974450955533, 3.999843853973347, 0.7071752369554196)
    high = _high_pass(rate, 38.13547087602444, 0.5003270373238773)
    return np.asarray(lfilter(*high, lfilter(*shelf, samples)))


def _shelf(rate: int, frequency: float, gain: float, quality: float) -> tuple[list[float], list[float]]:
    k, over = np.tan(np.pi * frequency / rate), 10 ** (gain / 20)
    band = over**0.4996667741545416
    bottom = 1 + k / quality + k * k
    return (
        [
            (over + band * k / quality + k * k) / bottom,
            2 * (k * k - over) / bottom,
            (over - band * k / quality + k * k) / bottom,
        ],
        [1.0, 2 * (k * k - 1) / bottom, (1 - k / quality + k * k) / bottom],
    )


def _high_pass(rate: int, frequency: float, quality: float) -> tuple[list[float], list[float]]:
    k = np.tan(np.pi * frequency / rate)
    bottom = 1 + k / quality + k * k
    return [1.0, -2.0, 1.0], [1.0, 2 * (k * k - 1) / bottom, (1 - k / quality + k * k) / bottom]
