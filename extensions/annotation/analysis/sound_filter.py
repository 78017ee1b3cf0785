"""The sound filter of PACS (fact sheet, section 6.1): shares of talking, silence and music in a clip. Pure.

Silence and music are our own measures, in place of the paper's classifier (pyAudioAnalysis). Windows are half a second
long; a clip's figure is its share of windows:

* a window is *silent* below -50 dB of full scale (root mean square) if the window before or after it is also below: a
  pause shorter than a second, as between two taps, is not silence;
* a window contains *music* if at least 15 % of its energy above 80 Hz lies in steady lines. These are spectral peaks at
  least 15 dB above their surroundings that keep their frequency for four fifths of the window and fade by at most 4 dB
  within it. Held notes have such lines; struck objects fade, voices glide, and rubbing has no lines. Music without held
  notes (only drums, short plucked notes) is not detected; people who review the clips hear it.

Both thresholds, 15 % and four fifths, were set on recordings (docs/annotation.md): half of the energy in lines through
the whole window detected only 7 of 166 pieces of music.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RATE = 16_000  # Hz, mono; samples from -1 to 1
WINDOW = RATE // 2  # samples
SILENT_BELOW = -50.0  # dB of full scale
FRAME, HOP = 1024, 256  # samples: 64 ms, so that a bin is 15.6 Hz wide
LOWEST = 80.0  # Hz; machine hum lies below
ABOVE_SURROUNDINGS = 15.0  # dB
SURROUNDINGS = 12  # bins on either side
DRIFT = 1  # bins that a line may move between two frames
FADES_BY = 4.0  # dB within a window
HELD_THROUGH = 0.8  # share of the window's frames: other notes and drums sometimes cover a line
HELD_SHARE = 0.15  # of the window's energy
Samples = NDArray[np.float32]
Flags = NDArray[np.bool_]


def windows_of(samples: Samples) -> NDArray[np.float32]:
    """Consecutive half-second windows; the rest at the end is dropped. Shape: windows, samples."""
    count = len(samples) // WINDOW
    return np.asarray(samples[: count * WINDOW], dtype=np.float32).reshape(count, WINDOW)


def loudness(windows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Level of each window in dB of full scale (a full-scale sine is -3)."""
    power = np.mean(np.square(windows, dtype=np.float64), axis=-1)
    return np.asarray(10 * np.log10(np.maximum(power, 1e-12)))


def silent(windows: NDArray[np.float32]) -> Flags:
    """Which windows are silent, without short pauses."""
    quiet = loudness(windows) < SILENT_BELOW
    before, after = np.pad(quiet, (1, 0))[:-1], np.pad(quiet, (0, 1))[1:]
    return np.asarray(quiet & (before | after))


def musical(windows: NDArray[np.float32]) -> Flags:
    """Which windows contain held notes; silent windows never do."""
    found = [bool(held_share(window) >= HELD_SHARE) for window in windows]
    return np.array(found, dtype=np.bool_) & (loudness(windows) >= SILENT_BELOW)


def held_share(window: Samples) -> float:
    """Share of one window's energy in steady lines, from 0 to 1."""
    power = spectrum(window)
    lines = _lines(power)
    wide = _widened(lines, DRIFT)
    held = (wide.mean(axis=0) >= HELD_THROUGH) & ~_fading(power)
    total = float(power.sum())
    return float(power[:, _widened(held[None], DRIFT)[0]].sum()) / total if total > 0 else 0.0


def spectrum(window: Samples) -> NDArray[np.float64]:
    """Power of each frame and bin from LOWEST up. Shape: frames, bins."""
    starts = range(0, len(window) - FRAME + 1, HOP)
    frames = np.stack([window[start : start + FRAME] for start in starts]) * np.hanning(FRAME)
    power = np.square(np.abs(np.fft.rfft(frames, axis=-1)))
    return np.asarray(power[:, round(LOWEST * FRAME / RATE) :])


def _lines(power: NDArray[np.float64]) -> Flags:
    """Spectral peaks well above the median level around them."""
    decibels = 10 * np.log10(np.maximum(power, 1e-12))
    padded = np.pad(decibels, ((0, 0), (SURROUNDINGS, SURROUNDINGS)), mode="edge")
    around = np.median(np.lib.stride_tricks.sliding_window_view(padded, 2 * SURROUNDINGS + 1, axis=1), axis=-1)
    left, right = np.pad(decibels, ((0, 0), (1, 1)), mode="edge")[:, :-2], np.roll(decibels, -1, axis=1)
    return np.asarray((decibels >= left) & (decibels >= right) & (decibels > around + ABOVE_SURROUNDINGS))


def _widened(flags: Flags, by: int) -> Flags:
    """Each flag with its neighbours."""
    padded = np.pad(flags, ((0, 0), (by, by)))
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, 2 * by + 1, axis=1).any(axis=-1))


def _fading(power: NDArray[np.float64]) -> Flags:
    """Bins whose level in the last third of the frames is well below that in the first."""
    third = max(1, len(power) // 3)
    first, last = (np.maximum(part.mean(axis=0), 1e-12) for part in (power[:third], power[-third:]))
    return np.asarray(10 * np.log10(first / last) > FADES_BY)


MOST = 0.2  # maximum share of talking, of silence or of music
LEAST_OTHER = 0.7  # minimum share of windows with none of the three


@dataclass(frozen=True)
class SoundShares:
    """Shares of a clip's windows, from 0 to 1; windows can have several kinds, so the sum need not be 1."""

    talking: float
    silence: float
    music: float
    other: float

    def reasons(self) -> Iterator[str]:
        """Yield the reasons to drop the clip, by the paper's thresholds; nothing if it is kept."""
        yield from (name for name in ("talking", "silence", "music") if getattr(self, name) > MOST)
        if self.other < LEAST_OTHER:
            yield "other"


def sound_shares(samples: Samples, talking: Callable[[Samples], Flags]) -> SoundShares:
    """The shares in a mono 16 kHz sound of at least half a second; `talking` returns its windows with speech."""
    windows = windows_of(samples)
    if not len(windows):
        raise ValueError(f"{len(samples) / RATE:.2f} s of sound are too few to judge")
    flags = {"talking": talking(samples), "silence": silent(windows), "music": musical(windows)}
    is_other = ~(flags["talking"] | flags["silence"] | flags["music"])
    return SoundShares(other=float(is_other.mean()), **{name: float(flag.mean()) for name, flag in flags.items()})


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
