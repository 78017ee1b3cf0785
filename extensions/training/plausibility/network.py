"""A small network of convolutions over time and picture, and a folder of its weights.

It has two outputs: which of its tests a clip shows, and how plausible the clip would be in each test. Its answer is the
second, weighted by the first.
"""

from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from extensions.training.core.saved_network import filled, saved_values
from extensions.training.plausibility.recipes import PlausibilityRecipe

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
