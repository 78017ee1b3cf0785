"""A small late fusion after PACS' baseline (Yu et al. 2022, section 5), which joins sight, hearing and question late.

Each object gets its own score for the question, and the higher score wins, so the order of the objects has no
influence. A missing channel counts as zeros, so one network works with and without sound.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from evaluation.adapters.base import REPLY, Reply, Request, Turn
from evaluation.errors import ModelMisused
from extensions.training.core.saved_network import SavedNetwork, filled, save_network, saved_values
from scenes.tapped.sounds.loudness import log_mel

SIGHT, HEARING = "sight", "hearing"
PICTURE = (72, 128)  # height and width in pixels to which every frame is resized
LOUDEST, SOFTEST = 0.0, -16.0  # range of a sound that is kept: natural logarithms of power relative to the loudest
WORD = re.compile(r"[a-z]+")


class Fusion(nn.Module):
    """`words` are the words that the network knows; it ignores other words in a question."""

    def __init__(self, words: Sequence[str], channels: Sequence[str], width: int) -> None:
        super().__init__()
        self.channels, self.width = tuple(channels), width
        self.places = {word: place for place, word in enumerate(words)}
        self.question = nn.Linear(len(words), width)
        eyes = (nn.Conv2d(3, 16, 5, 2, 2), nn.Conv2d(16, 32, 3, 2, 1), nn.Conv2d(32, 48, 3, 2, 1))
        ears = (nn.Conv2d(1, 16, 5, 2, 2), nn.Conv2d(16, 32, 3, 2, 1), nn.Conv2d(32, 48, 3, 2, 1))
        self.eye = tower(eyes, width) if SIGHT in channels else None
        self.ear = tower(ears, width) if HEARING in channels else None
        self.judge = nn.Sequential(nn.Linear(3 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def sight_of(self, pictures: torch.Tensor) -> torch.Tensor:
        """[objects, frames, 3, height, width] from 0 to 1 -> [objects, width]; frames are averaged."""
        assert self.eye is not None
        objects, frames = pictures.shape[:2]
        return self.eye(pictures.flatten(0, 1) - 0.5).view(objects, frames, -1).mean(1)

    def audio_vectors(self, sounds: torch.Tensor) -> torch.Tensor:
        """[objects, bands, moments] from `normalised_powers` -> [objects, width]."""
        assert self.ear is not None
        return self.ear(sounds[:, None] - 0.5)

    def scores(self, sight: torch.Tensor, hearing: torch.Tensor, question: torch.Tensor) -> torch.Tensor:
        """How well each object fits its question [n]; a missing channel consists of zeros."""
        hidden = functional.relu(self.question(question))
        return self.judge(torch.cat([sight * hidden, hearing * hidden, hidden], dim=1))[:, 0]

    def word_flags(self, questions: Sequence[str]) -> torch.Tensor:
        """Which of the known words each question contains [n, words]."""
        flags = torch.zeros(len(questions), len(self.places))
        for row, question in enumerate(questions):
            for word in question_words(question):
                if word in self.places:
                    flags[row, self.places[word]] = 1.0
        return flags


def tower(layers: Sequence[nn.Conv2d], width: int) -> nn.Sequential:
    """Convolutions, mean and maximum over all places, and a linear layer to `width` numbers."""
    parts: list[nn.Module] = []
    for layer in layers:
        parts += [layer, nn.BatchNorm2d(layer.out_channels), nn.ReLU()]
    return nn.Sequential(*parts, Pooled(), nn.Linear(2 * layers[-1].out_channels, width))


class Pooled(nn.Module):
    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return torch.cat([maps.mean((2, 3)), maps.amax((2, 3))], dim=1)


def question_words(question: str) -> list[str]:
    return WORD.findall(question.lower())


def seen_as(pixels: torch.Tensor) -> torch.Tensor:
    """RGB frames [n, height, width, 3] of any size, 0 to 255 -> [n, 3, 72, 128] from 0 to 1."""
    planes = pixels.permute(0, 3, 1, 2).float() / 255
    return planes if planes.shape[2:] == PICTURE else functional.interpolate(planes, PICTURE, mode="area")


def normalised_powers(log_mel: torch.Tensor) -> torch.Tensor:
    """Log mel powers [..., bands, moments] -> 0 (far below the sound's loudest) to 1."""
    level = log_mel - log_mel.amax((-2, -1), keepdim=True)
    return ((level - SOFTEST) / (LOUDEST - SOFTEST)).clamp(0, 1)


def save(network: Fusion, folder: Path) -> None:
    values = {"words": list(network.places), "channels": list(network.channels), "width": network.width}
    save_network(network, values, folder)


def opened(folder: Path) -> Fusion:
    """The saved network, ready to answer."""
    return filled(Fusion(**saved_values(folder)), folder)


UNDECIDED = "undecided"  # without input, or if both fit equally well: no answer


class FusionModel(SavedNetwork):
    """`path` is a folder written by `train_baseline`; `hears` is true if it was trained with sound."""

    family = "late fusion"
    opened = staticmethod(opened)

    def __init__(self, *, path: str, hears: bool = True) -> None:
        super().__init__(path=path)
        if hears != (HEARING in self.network.channels):
            raise ModelMisused(f"{path}: the saved model has the channels {', '.join(self.network.channels)}")

    @property
    def inputs(self) -> str:
        return " and ".join({SIGHT: "frames", HEARING: "sound"}[channel] for channel in self.network.channels)

    @torch.no_grad()
    def reply_to(self, request: Request) -> Reply:
        turns = [turn for turn in request.turns if turn is not REPLY and isinstance(turn, Turn)]
        objects = [turn for turn in turns if turn.frames or turn.audio]
        if objects and len(objects) != len(request.options):
            return Reply("", error=f"{len(objects)} objects for {len(request.options)} answers")
        if not objects:
            return Reply(UNDECIDED, turns=(UNDECIDED,))
        question = " ".join(turn.text for turn in turns if not (turn.frames or turn.audio))
        words = self.network.word_flags([question] * len(objects))
        scores = self.network.scores(self._sight_of(objects), self._audio_vectors(objects), words)
        text = request.options[int(scores.argmax())] if scores.unique().numel() > 1 else UNDECIDED
        return Reply(text, turns=(text,))

    def _sight_of(self, objects: Sequence[Turn]) -> torch.Tensor:
        """Vectors of the objects' frames; zeros for an object without frames."""
        seen = torch.zeros(len(objects), self.network.width)
        for place, turn in enumerate(objects):
            if turn.frames and SIGHT in self.network.channels:
                seen[place] = self.network.sight_of(seen_as(torch.tensor(turn.frames.pixels))[None])[0]
        return seen

    def _audio_vectors(self, objects: Sequence[Turn]) -> torch.Tensor:
        """Vectors of the objects' sounds; zeros for an object without sound."""
        vectors = torch.zeros(len(objects), self.network.width)
        for place, turn in enumerate(objects):
            if turn.audio and HEARING in self.network.channels:
                sound = torch.tensor(log_mel(turn.audio.samples.astype(float), turn.audio.rate), dtype=torch.float32)
                vectors[place] = self.network.audio_vectors(normalised_powers(sound)[None])[0]
        return vectors
