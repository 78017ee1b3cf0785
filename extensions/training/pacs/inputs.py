"""Each backbone's input from an object's frames and sound: augmented in training as in the paper, else unchanged.

AST (late fusion, appendix 0.B.3.3): 128 mel bands, 1,024 moments of 10 ms; bands and moments are masked, noise is
added, and everything is shifted by up to ten moments, as in AST's own training. CLAP (in place of AudioCLIP, 0.B.5.2):
five seconds, perhaps reversed in time, with noise.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
import torch

from evaluation.adapters.base import Audio, Frames
from evaluation.adapters.media_encoding import resampled
from extensions.training.pacs import frames as pictures
from extensions.training.pacs.backbones import Backbone
from extensions.training.pacs.frames import Look
from extensions.training.pacs.recipes import CLAP, CLIP, IMAGE, SOUND, VIDEO

MASKED_BANDS, MASKED_MOMENTS = 48 / 128, 144 / 1024  # largest masked shares
NOISE = 0.1  # largest noise, in units of the normalised spectrogram
MOVED = 10  # largest shift, in moments
SECONDS = 5.0  # seconds of sound for AudioCLIP
TURNED, NOISY = 0.5, 0.8  # probabilities
HISS = (-60.0, -20.0)  # noise in dB relative to the sound's mean power: the paper gives no level


class Lacking(ValueError):
    """An object lacks an input that the network needs; the message names it."""


class Input(Protocol):
    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        """The stored form of one object's input; raises Lacking."""
        ...

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        """The backbone's input at inference."""
        ...

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        """The backbone's input with the random changes of one training step."""
        ...


class PictureInput:
    """Pictures of the frames: [pictures, 3, edge, edge]; a subclass says which, and what is changed in training."""

    jitter: ClassVar[pictures.Jitter]
    cuts: tuple[pictures.Crop, ...] = (pictures.MIDDLE,)  # of each picture, at inference
    whole: ClassVar[float] = 0  # probability in training that a picture is not cropped further

    def __init__(self, look: Look) -> None:
        self.look = look

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        return self.look.normal(torch.cat([pictures.cut_out(stored, cut, self.look.edge) for cut in self.cuts]))

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        return self.look.normal(pictures.altered(stored, self.look, self.jitter, chance, self.whole))


class Square(PictureInput):
    """The square around the box with the box drawn: [3, edge, edge]."""

    jitter = pictures.FUSION_JITTER

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.prepared(pictures.square_of(seen(frames), with_box=True))

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        return super().plain(stored)[0]

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        return super().altered(stored, chance)[0]


class Crops(PictureInput):
    """The square without the box, for CLIP: [crops, 3, edge, edge], one in training, six at inference without sound.

    The six are five crops (the corners, then the centre) and the whole square, as in PACS' own repository.
    """

    jitter, whole = pictures.CLIP_JITTER, pictures.WHOLE_SQUARES

    def __init__(self, look: Look, *, is_whole_alone: bool) -> None:
        super().__init__(look)
        self.cuts = (pictures.MIDDLE,) if is_whole_alone else (*pictures.CORNERS, pictures.MIDDLE)

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.prepared(pictures.square_of(seen(frames), with_box=False))


class ClipTransform(PictureInput):
    """The frames of the whole clip without the box: [frames, 3, edge, edge], all cropped and mirrored alike."""

    jitter = pictures.NO_JITTER

    def __init__(self, look: Look, frames: int) -> None:
        super().__init__(look)
        self.frames = frames

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.prepared(pictures.film_of(seen(frames), self.frames))


def seen(frames: Frames | None) -> Frames:
    if frames is None:
        raise Lacking("an object is played without frames, and this model needs them")
    return frames


def required_sound(audio: Audio | None) -> Audio:
    if audio is None or not len(audio.samples):
        raise Lacking("an object is shown without sound, and this model needs it")
    return audio


@dataclass(frozen=True)
class Spectrogram:
    """AST's input, from its own feature extractor."""

    reader: Any

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        """[moments, bands], normalised as in AST's training; the middle of a longer sound."""
        rate = self.reader.sampling_rate
        samples = middle(resampled(required_sound(audio), rate), round((self.reader.max_length + 1.5) * 0.01 * rate))
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

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        """[moments, bands] in dB, as long as the sound; the middle of a sound longer than the model's input."""
        rate = self.reader.sampling_rate
        samples = middle(resampled(required_sound(audio), rate), self.reader.nb_max_samples)
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


def input_of(backbone: Backbone, parts: Sequence[str]) -> Input | None:
    """The input of a backbone used together with `parts`; None for one that only reads questions."""
    part, reader = backbone.part, backbone.reader
    if part == IMAGE:
        return Square(Look.of(reader))
    if part == CLIP:
        return Crops(Look.of(reader), is_whole_alone=CLAP in parts)
    if part == VIDEO:
        return ClipTransform(Look.of(reader), backbone.model.config.num_frames)
    if part in (SOUND, CLAP):
        return Spectrogram(reader) if part == SOUND else MelPower(reader)
    return None
