"""A small network of convolutions over time and picture, a folder of its weights, and the model that a run asks.

It has two outputs: which of its tests a clip shows, and how plausible the clip would be in each test. Its answer is the
second, weighted by the first.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from evaluation.adapters.base import REPLY, Frames, Reply, Request, Turn
from evaluation.inputs.frames import wanted_frames
from evaluation.parsing.numeric_replies import log_probs_written
from extensions.training.core.saved_network import SavedNetwork, filled, saved_values
from extensions.training.plausibility.trainer import PlausibilityRecipe

GAIN = 3.0  # factor on differences between frames, which are small compared to the frames


class VideoNet(nn.Module):
    """The network. It sees every frame, its change since the frame before, and its change since the first frame.

    Changes are computed after the first convolution, which is linear: the result is the same in a third of the time.
    """

    def __init__(self, recipe: PlausibilityRecipe) -> None:
        super().__init__()
        self.recipe, tests = recipe, len(recipe.tests)
        first, second, third = recipe.channels
        self.eye = nn.Conv2d(3, 3 * first, 5, stride=3, padding=2)
        self.trunk = nn.Sequential(
            nn.ReLU(),
            nn.Conv3d(first, second, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv3d(second, third, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Dropout(recipe.dropout),
        )
        size = third * _quarter(recipe.frames) * _quarter(-(-recipe.height // 3)) * _quarter(-(-recipe.width // 3))
        self.which, self.plausible = nn.Linear(size, tests), nn.Linear(size, tests)

    def forward(self, clips: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """uint8 [n, frames, 3, height, width] -> logits [n, tests] of the tests, and of being plausible in each."""
        seen = (clips.flatten(0, 1).float() / 255 - 0.5).contiguous(memory_format=torch.channels_last)
        still, moved, since = self.eye(seen).unflatten(0, clips.shape[:2]).chunk(3, dim=2)
        before = torch.cat([moved[:, :1], moved[:, :-1]], dim=1)
        looks = still + GAIN * (moved - before + since - since[:, :1])
        features = self.trunk(looks.transpose(1, 2))
        return self.which(features), self.plausible(features)

    def margins(self, clips: torch.Tensor) -> torch.Tensor:
        """How plausible the clips are [n]; above 0 means plausible."""
        which, plausible = self(clips)
        return (which.softmax(1) * plausible).sum(1)


def _quarter(size: int) -> int:
    """The size left by two strides of 2."""
    return -(-size // 4)


def brought_to(recipe: PlausibilityRecipe, pixels: torch.Tensor) -> torch.Tensor:
    """RGB frames [n, height, width, 3] of any size, 0 to 255 -> uint8 [n, 3, height, width] of the network's size.

    Each pixel is the mean of its area.
    """
    planes = pixels.permute(0, 3, 1, 2).float()
    return functional.interpolate(planes, (recipe.height, recipe.width), mode="area").round().to(torch.uint8)


def opened(folder: Path) -> VideoNet:
    """The saved network, ready to answer."""
    return filled(VideoNet(PlausibilityRecipe(**saved_values(folder)["recipe"])), folder)


QUESTION = "plausible"  # part of every question of Level 2 and of none of Level 1


class PlausibilityNetwork(SavedNetwork):
    """`path` is a folder written by `train_baseline`."""

    family = "3-D convolutions"
    opened = staticmethod(opened)

    @torch.no_grad()
    def reply_to(self, request: Request) -> Reply:
        turns = [turn for turn in request.turns if isinstance(turn, Turn)]
        frames = [turn.frames for turn in turns if turn.frames]
        if QUESTION not in turns[-1].text:
            return Reply("", error="was trained on the question of Level 2 alone, whether a clip is plausible")
        if not frames or len(frames[-1]) < self.network.recipe.frames:
            return Reply("", error=self._why_blind(frames))
        # An example's clip precedes the clip in question.
        margin = self._margin(frames[-1])
        if request.by_likelihood:
            return self._weighed(margin, request)
        text = "yes" if margin > 0 else "no"
        return Reply(text, turns=(text,) * request.turns.count(REPLY))

    def _weighed(self, margin: float, request: Request) -> Reply:
        """The log-probabilities of yes and no: the network's output is their log-odds."""
        of = {"yes": -float(np.logaddexp(0, -margin)), "no": -float(np.logaddexp(0, margin))}
        return Reply(log_probs_written({option: of[option] for option in request.options}))

    def _margin(self, frames: Frames) -> float:
        recipe = self.network.recipe
        places = list(wanted_frames(recipe.sampler, range(len(frames))))
        pictures = brought_to(recipe, torch.tensor(frames.pixels[places]))
        return float(self.network.margins(pictures[None])[0])

    def _why_blind(self, frames: Sequence[Frames]) -> str:
        recipe = self.network.recipe
        count = len(frames[-1]) if frames else "none"
        return f"was trained on {recipe.frames} frames and is shown {count}: --sampler {recipe.sampler}"
