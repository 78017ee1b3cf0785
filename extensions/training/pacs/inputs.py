"""Each backbone's input from an object's frames and sound: augmented in training, unchanged at inference."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from evaluation.adapters.base import Audio, Frames
from extensions.training.pacs import frames as pictures
from extensions.training.pacs.backbones import Backbone
from extensions.training.pacs.frames import Look
from extensions.training.pacs.recipes import CLAP, CLIP, IMAGE, SOUND, VIDEO
from extensions.training.pacs.spectrograms import MelPower, Spectrogram


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


@dataclass(frozen=True)
class Square:
    """The square around the box with the box drawn: [3, edge, edge]."""

    look: Look

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.prepared(pictures.square_of(seen(frames), with_box=True))

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        return self.look.normal(pictures.cut_out(stored, pictures.MIDDLE, self.look.edge))[0]

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        return self.look.normal(pictures.altered(stored, self.look, pictures.FUSION_JITTER, chance))[0]


@dataclass(frozen=True)
class Crops:
    """The square without the box, for CLIP: [crops, 3, edge, edge], one in training, six at inference without sound.

    The six are five crops (the corners, then the centre) and the whole square, as in PACS' own repository.
    """

    look: Look
    is_whole_alone: bool

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.prepared(pictures.square_of(seen(frames), with_box=False))

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        cuts = (pictures.MIDDLE,) if self.is_whole_alone else (*pictures.CORNERS, pictures.MIDDLE)
        return self.look.normal(torch.cat([pictures.cut_out(stored, cut, self.look.edge) for cut in cuts]))

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        how = (self.look, pictures.CLIP_JITTER, chance, pictures.WHOLE_SQUARES)
        return self.look.normal(pictures.altered(stored, *how))


@dataclass(frozen=True)
class ClipTransform:
    """The frames of the whole clip without the box: [frames, 3, edge, edge], all cropped and mirrored alike."""

    look: Look
    frames: int

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.prepared(pictures.film_of(seen(frames), self.frames))

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        return self.look.normal(pictures.cut_out(stored, pictures.MIDDLE, self.look.edge))

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        return self.look.normal(pictures.altered(stored, self.look, pictures.NO_JITTER, chance))


@dataclass(frozen=True)
class SpectrogramTransform:
    """A spectrogram of the sound."""

    reader: Spectrogram | MelPower

    def prepared(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        if audio is None or not len(audio.samples):
            raise Lacking("an object is shown without sound, and this model needs it")
        return self.reader.prepared(audio)

    def plain(self, stored: torch.Tensor) -> torch.Tensor:
        return self.reader.plain(stored)

    def altered(self, stored: torch.Tensor, chance: random.Random) -> torch.Tensor:
        return self.reader.altered(stored, chance)


def seen(frames: Frames | None) -> Frames:
    if frames is None:
        raise Lacking("an object is played without frames, and this model needs them")
    return frames


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
        return SpectrogramTransform(Spectrogram(reader) if part == SOUND else MelPower(reader))
    return None
