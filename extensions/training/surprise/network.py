"""A network that predicts the next frame from those before it, and a folder of its weights."""

import json
from dataclasses import asdict
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from evaluation.adapters.weights import CONFIG
from extensions.training.plausibility.recipes import PlausibilityRecipe
from extensions.training.surprise.recipes import PredictorRecipe

WEIGHTS = "model.safetensors"


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
    (folder / CONFIG).write_text(json.dumps({"recipe": asdict(network.recipe)}, indent=1), encoding="utf-8")
    save_file(network.state_dict(), folder / WEIGHTS)


def opened(folder: Path) -> NextFrameNet:
    """The saved network, ready to predict."""
    recipe = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["recipe"]
    clips = PlausibilityRecipe(**_with_tuples(recipe.pop("clips")))
    network = NextFrameNet(PredictorRecipe(clips=clips, **_with_tuples(recipe)))
    network.load_state_dict(load_file(folder / WEIGHTS))
    return network.eval()


def _with_tuples(values: dict) -> dict:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
