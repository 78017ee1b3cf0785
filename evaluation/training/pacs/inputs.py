"""What each backbone is given of an object's frames and sound: altered in training, plain when asked."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch

from evaluation.adapters.base import Audio, Frames
from evaluation.training.pacs import pictures
from evaluation.training.pacs.backbones import Backbone
from evaluation.training.pacs.pictures import Look
from evaluation.training.pacs.recipes import CLAP, CLIP, IMAGE, SOUND, VIDEO
from evaluation.training.pacs.sounds import MelPower, Spectrogram


class Lacking(ValueError):
    """An object is not given what the network needs of it; the message says what."""


class Input(Protocol):
    def kept(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        """What is kept of one object; raises Lacking."""
        ...

    def plain(self, kept: torch.Tensor) -> torch.Tensor:
        """As the backbone takes it."""
        ...

    def altered(self, kept: torch.Tensor, chance: random.Random) -> torch.Tensor:
        """The same with the changes of one step of training."""
        ...


@dataclass(frozen=True)
class Square:
    """The square around the box with the box drawn: [3, edge, edge]."""

    look: Look

    def kept(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.kept(pictures.square_of(seen(frames), with_box=True))

    def plain(self, kept: torch.Tensor) -> torch.Tensor:
        return self.look.normal(pictures.cut_out(kept, pictures.MIDDLE, self.look.edge))[0]

    def altered(self, kept: torch.Tensor, chance: random.Random) -> torch.Tensor:
        return self.look.normal(pictures.altered(kept, self.look, pictures.FUSION_JITTER, chance))[0]


@dataclass(frozen=True)
class Crops:
    """The square without the box, for CLIP: [crops, 3, edge, edge], one in training; asked without sound there are six.

    Five crops (the corners, then the centre) and the whole square, as in PACS' own repository.
    """

    look: Look
    is_whole_alone: bool

    def kept(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.kept(pictures.square_of(seen(frames), with_box=False))

    def plain(self, kept: torch.Tensor) -> torch.Tensor:
        cuts = (pictures.MIDDLE,) if self.is_whole_alone else (*pictures.CORNERS, pictures.MIDDLE)
        return self.look.normal(torch.cat([pictures.cut_out(kept, cut, self.look.edge) for cut in cuts]))

    def altered(self, kept: torch.Tensor, chance: random.Random) -> torch.Tensor:
        how = (self.look, pictures.CLIP_JITTER, chance, pictures.WHOLE_SQUARES)
        return self.look.normal(pictures.altered(kept, *how))


@dataclass(frozen=True)
class Film:
    """The frames of the whole clip, none with a box: [frames, 3, edge, edge], cut and mirrored alike."""

    look: Look
    frames: int

    def kept(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        return self.look.kept(pictures.film_of(seen(frames), self.frames))

    def plain(self, kept: torch.Tensor) -> torch.Tensor:
        return self.look.normal(pictures.cut_out(kept, pictures.MIDDLE, self.look.edge))

    def altered(self, kept: torch.Tensor, chance: random.Random) -> torch.Tensor:
        return self.look.normal(pictures.altered(kept, self.look, pictures.NO_JITTER, chance))


@dataclass(frozen=True)
class Heard:
    """A spectrogram."""

    reader: Spectrogram | MelPower

    def kept(self, frames: Frames | None, audio: Audio | None) -> torch.Tensor:
        if audio is None or not len(audio.samples):
            raise Lacking("an object is shown without sound, and this model needs it")
        return self.reader.kept(audio)

    def plain(self, kept: torch.Tensor) -> torch.Tensor:
        return self.reader.plain(kept)

    def altered(self, kept: torch.Tensor, chance: random.Random) -> torch.Tensor:
        return self.reader.altered(kept, chance)


def seen(frames: Frames | None) -> Frames:
    if frames is None:
        raise Lacking("an object is played without frames, and this model needs them")
    return frames


def input_of(backbone: Backbone, parts: Sequence[str]) -> Input | None:
    """How a backbone is fed, beside these others; None for one that reads questions alone."""
    part, reader = backbone.part, backbone.reader
    if part == IMAGE:
        return Square(Look.of(reader))
    if part == CLIP:
        return Crops(Look.of(reader), is_whole_alone=CLAP in parts)
    if part == VIDEO:
        return Film(Look.of(reader), backbone.model.config.num_frames)
    if part in (SOUND, CLAP):
        return Heard(Spectrogram(reader) if part == SOUND else MelPower(reader))
    return None
