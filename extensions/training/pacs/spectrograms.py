"""A backbone's sound input: the library's own spectrograms, augmented in training as in the paper.

AST (late fusion, appendix 0.B.3.3): 128 mel bands, 1,024 moments of 10 ms; bands and moments are masked, noise is
added, and everything is shifted by up to ten moments, as in AST's own training. CLAP (in place of AudioCLIP, 0.B.5.2):
five seconds, perhaps reversed in time, with noise.
"""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from evaluation.adapters.base import Audio
from evaluation.adapters.media_encoding import resampled

MASKED_BANDS, MASKED_MOMENTS = 48 / 128, 144 / 1024  # largest masked shares
NOISE = 0.1  # largest noise, in units of the normalised spectrogram
MOVED = 10  # largest shift, in moments
SECONDS = 5.0  # seconds of sound for AudioCLIP
TURNED, NOISY = 0.5, 0.8  # probabilities
HISS = (-60.0, -20.0)  # noise in dB relative to the sound's mean power: the paper gives no level


@dataclass(frozen=True)
class Spectrogram:
    """AST's input, from its own feature extractor."""

    reader: Any

    def prepared(self, audio: Audio) -> torch.Tensor:
        """[moments, bands], normalised as in AST's training; the middle of a longer sound."""
        rate = self.reader.sampling_rate
        samples = middle(resampled(audio, rate), round((self.reader.max_length + 1.5) * 0.01 * rate))
        return self.reader(samples, sampling_rate=rate, return_tensors="pt")["input_values"][0]

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        return stored

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        masked = stored.clone()
        for dimension, share in ((1, MASKED_BANDS), (0, MASKED_MOMENTS)):
            length = stored.shape[dimension]
            width = chance.randrange(round(share * length) + 1)
            masked.narrow(dimension, chance.randrange(length - width + 1), width).zero_()
        generator = torch.Generator().manual_seed(chance.getrandbits(48))
        noise = torch.rand(stored.shape, generator=generator) * chance.random() * NOISE
        return (masked + noise).roll(chance.randrange(-MOVED, MOVED + 1), 0)


@dataclass(frozen=True)
class MelPower:
    """CLAP's input: five seconds of log mel powers in dB, [1, moments, bands], repeated to the model's length."""

    reader: Any

    @property
    def moments(self) -> int:
        """Number of moments in the whole input."""
        return self.reader.nb_max_samples // self.reader.hop_length + 1

    @property
    def window_moments(self) -> int:
        """Number of moments in five seconds, or in the whole input if that is shorter."""
        return min(self.moments, round(SECONDS * self.reader.sampling_rate / self.reader.hop_length))

    def prepared(self, audio: Audio) -> torch.Tensor:
        """[moments, bands] in dB, as long as the sound; the middle of a sound longer than the model's input."""
        rate = self.reader.sampling_rate
        samples = middle(resampled(audio, rate), self.reader.nb_max_samples)
        read = self.reader(samples, sampling_rate=rate, padding="pad", return_tensors="pt")["input_features"]
        return read[0, 0, : len(samples) // self.reader.hop_length + 1]

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        """The middle five seconds; a shorter sound is centred in silence."""
        return self._window(stored, 0.5)

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        """Any five seconds, reversed with probability 0.5, with noise with probability 0.8.

        A reversed sound has the reversed spectrogram, and the powers of sound and noise add up. The noise has the same
        power in every band.
        """
        window = self._window(stored, chance.random())
        if chance.random() < TURNED:
            window = window.flip(1)
        if chance.random() >= NOISY:
            return window
        power = torch.pow(10.0, window / 10)
        level = power.mean() * 10 ** (chance.uniform(*HISS) / 10)
        generator = torch.Generator().manual_seed(chance.getrandbits(48))
        hiss = -torch.log(torch.rand(power.shape, generator=generator).clamp_min(1e-12))  # powers of Gaussian noise
        return 10 * torch.log10(power + level * hiss)

    def _window(self, stored: torch.Tensor, place: float) -> torch.Tensor:
        """Five seconds from `place` (0 to 1) of the remainder, then repeated: [1, moments, bands]."""
        over = len(stored) - self.window_moments
        if over >= 0:
            start = round(place * over)
            part = stored[start : start + self.window_moments]
        else:
            part = torch.full((self.window_moments, stored.shape[1]), float(stored.min()))
            start = round(place * -over)
            part[start : start + len(stored)] = stored
        times = -(-self.moments // len(part))
        return part.repeat(times, 1)[: self.moments][None]


def middle(samples: np.ndarray, most: int) -> np.ndarray:
    start = max(0, (len(samples) - most) // 2)
    return samples[start : start + most]
