"""What a listener hears: loudness by EBU R128 (ITU-R BS.1770-4), to which sounds are set, and power in mel bands."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d
from scipy.signal import lfilter, resample_poly, stft

BROADCAST = -23.0  # LUFS: EBU R128
LIMIT = 0.76  # of full scale, -2.4 dB: room for what encoding adds below a true peak of -1 dB
AHEAD, RELEASE = 0.0015, 0.008  # seconds in which the limiter closes before a peak, and opens after it
STEPS = 16  # towards the target
PIECE = 16  # samples with a common gain
OVERSAMPLING = 4  # BS.1770-4, annex 2
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


def at_broadcast_loudness(samples: Sound, rate: int) -> Sound:
    """The sound at `BROADCAST`; a slowly varying gain keeps peaks below the limit without distorting the wave."""
    raw = samples / np.abs(samples).max()
    drive = 0.0  # dB
    for _ in range(STEPS):  # a limited sound is softer than its drive, so the target is approached in steps
        made = _driven(raw, drive, rate)
        missing = BROADCAST - loudness(made, rate)
        if abs(missing) < CLOSE:
            return made
        drive += missing
    return _searched(raw, rate)


def _searched(raw: Sound, rate: int) -> Sound:
    """The sound of the closest drive: loudness jumps when a block passes the gate, so steps may miss the target."""
    best, centre = raw, 0.0
    for reach, step in ((45.0, 1.0), (1.0, 0.1)):
        tried = [_driven(raw, drive, rate) for drive in np.arange(centre - reach, centre + reach + step / 2, step)]
        place = int(np.argmin([abs(loudness(made, rate) - BROADCAST) for made in tried]))
        best, centre = tried[place], centre - reach + place * step
    return best


def _driven(raw: Sound, drive: float, rate: int) -> Sound:
    return _limited(raw * 10 ** (drive / 20), rate)


def _limited(samples: Sound, rate: int) -> Sound:
    """No sample above the limit: the gain closes just before a peak, and opens again slowly."""
    ahead = max(1, round(AHEAD * rate))
    peaks = maximum_filter1d(np.abs(samples), 2 * ahead + 1)
    over = np.log(np.maximum(peaks / LIMIT, 1.0))
    held = _falling(over, math.exp(-PIECE / (RELEASE * rate)))
    smooth = np.convolve(np.pad(held, (ahead, ahead), mode="edge"), np.ones(2 * ahead + 1) / (2 * ahead + 1), "valid")
    return samples * np.exp(-np.maximum(smooth, np.log(np.maximum(np.abs(samples) / LIMIT, 1.0))))


def _falling(values: Sound, share: float) -> Sound:
    """The highest value of each piece, no lower than this share of the piece before."""
    pieces = np.pad(values, (0, -len(values) % PIECE)).reshape(-1, PIECE).max(axis=1)
    held, last = np.empty_like(pieces), 0.0
    for number, value in enumerate(pieces.tolist()):
        last = max(value, last * share)
        held[number] = last
    return np.repeat(held, PIECE)[: len(values)]


def true_peak(samples: Sound, rate: int) -> float:
    """Highest level, also between samples, in dB of full scale (dBTP)."""
    between = resample_poly(samples, OVERSAMPLING, 1)
    return float(20 * np.log10(max(np.abs(between).max(), np.abs(samples).max(), 1e-12)))


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
