"""Silence and music, window by window: measures of ours in place of the paper's classifier (pyAudioAnalysis). Pure.

Both look at half a second at a time, and a clip's figure is the share of its windows:

* a window is *silent* below -50 dB of full scale (root mean square), where the one before or after it is so as well: a
  pause shorter than a second, as between two taps, is no silence;
* a window holds *music* where at least 15 % of its energy above 80 Hz lies in lines that stand still: peaks of the
  spectrum at least 15 dB above their surroundings that keep their frequency for four fifths of the window and don't
  fade by more than 4 dB in it. Held notes do so. Struck things fade, voices glide, and rubbing has no lines. Music
  without held notes (drums alone, short plucked notes) is not found: whoever reviews the clips hears it.

The share and how long a line stands were set on recordings (docs/annotation.md): half of the energy in lines that stand
through the whole window, as it was before, found 7 of 166 pieces of music.
"""

import numpy as np
from numpy.typing import NDArray

RATE = 16_000  # Hz, mono; samples from -1 to 1
WINDOW = RATE // 2  # samples
SILENT_BELOW = -50.0  # dB of full scale
FRAME, HOP = 1024, 256  # samples: 64 ms, so that a bin is 15.6 Hz wide
LOWEST = 80.0  # Hz; below it is the hum of machines
ABOVE_SURROUNDINGS = 15.0  # dB
SURROUNDINGS = 12  # bins on either side
DRIFT = 1  # bins that a line may wander between two frames
FADES_BY = 4.0  # dB within a window
HELD_THROUGH = 0.8  # of the window's frames: other notes and drums cover a line now and then
HELD_SHARE = 0.15  # of the window's energy
Samples = NDArray[np.float32]
Flags = NDArray[np.bool_]


def windows_of(samples: Samples) -> NDArray[np.float32]:
    """The half seconds one after the other; what is left at the end is no window. Shape: windows, samples."""
    count = len(samples) // WINDOW
    return np.asarray(samples[: count * WINDOW], dtype=np.float32).reshape(count, WINDOW)


def loudness(windows: NDArray[np.float32]) -> NDArray[np.float64]:
    """Decibels of full scale of each window (a full sine is -3)."""
    power = np.mean(np.square(windows, dtype=np.float64), axis=-1)
    return np.asarray(10 * np.log10(np.maximum(power, 1e-12)))


def silent(windows: NDArray[np.float32]) -> Flags:
    """Which windows are silent, and no short pause."""
    quiet = loudness(windows) < SILENT_BELOW
    before, after = np.pad(quiet, (1, 0))[:-1], np.pad(quiet, (0, 1))[1:]
    return np.asarray(quiet & (before | after))


def musical(windows: NDArray[np.float32]) -> Flags:
    """Which windows hold notes that are held; silent ones hold none."""
    found = [bool(held_share(window) >= HELD_SHARE) for window in windows]
    return np.array(found, dtype=np.bool_) & (loudness(windows) >= SILENT_BELOW)


def held_share(window: Samples) -> float:
    """Share of the energy of one window that lies in lines which stand still, from 0 to 1."""
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
    """Peaks that stand out of the middle level around them."""
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
