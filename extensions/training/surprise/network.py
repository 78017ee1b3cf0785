"""A network that predicts the next frame from those before it, and a folder of its weights."""

from dataclasses import asdict
from pathlib import Path

import torch
from torch import nn

from extensions.training.core.network_files import filled, save_network, saved_values
from extensions.training.plausibility.recipes import PlausibilityRecipe
from extensions.training.surprise.recipes import PredictorRecipe


class NextFrameNet(nn.Module):
    """Predicts the change from the last frame to the next one."""

    def __init__(self, recipe: PredictorRecipe) -> None:
        super().__init__()
        self.recipe = recipe
        narrow, wide = recipe.channels
        self.down = nn.Sequential(nn.Conv2d(3 * recipe.context, narrow, 5, stride=2, padding=2), nn.ReLU())
        self.deep = nn.Sequential(
            nn.Conv2d(narrow, wide, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(wide, wide, 3, padding=2, dilation=2),
            nn.ReLU(),
            nn.ConvTranspose2d(wide, narrow, 4, stride=2, padding=1),
            nn.ReLU(),
        )
        self.up = nn.ConvTranspose2d(2 * narrow, 3, 4, stride=2, padding=1)

    def forward(self, before: torch.Tensor) -> torch.Tensor:
        """Frames [n, context, 3, height, width] from 0 to 1 -> the next one [n, 3, height, width]."""
        seen = self.down(before.flatten(1, 2))
        return before[:, -1] + self.up(torch.cat([seen, self.deep(seen)], dim=1))

    @torch.no_grad()
    def surprises(self, clip: torch.Tensor) -> list[float]:
        """uint8 [frames, 3, height, width] -> a thousand times the mean squared error of each frame after the first."""
        pixels, context = clip.float() / 255, self.recipe.context
        windows = torch.stack([pixels[place : place + context] for place in range(len(pixels) - context)])
        errors = (self(windows) - pixels[context:]).square().mean(dim=(1, 2, 3))
        return [1000 * float(error) for error in errors]


def save(network: NextFrameNet, folder: Path) -> None:
    save_network(network, {"recipe": asdict(network.recipe)}, folder)


def opened(folder: Path) -> NextFrameNet:
    """The saved network, ready to predict."""
    recipe = saved_values(folder)["recipe"]
    clips = PlausibilityRecipe(**recipe.pop("clips"))
    return filled(NextFrameNet(PredictorRecipe(clips=clips, **recipe)), folder)
