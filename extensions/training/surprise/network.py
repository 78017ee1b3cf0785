"""A network that predicts the next frame from those before it, and a folder of its weights."""

import random
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from evaluation.adapters.base import Reply, Request, Turn
from evaluation.parsing.numeric_replies import surprises_written
from extensions.training.core.loop import SmallObjective
from extensions.training.core.saved_network import SavedNetwork, filled, saved_values
from extensions.training.plausibility.network import brought_to
from extensions.training.plausibility.trainer import PlausibilityRecipe
from extensions.training.surprise.trainer import PredictorRecipe


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


def opened(folder: Path) -> NextFrameNet:
    """The saved network, ready to predict."""
    recipe = saved_values(folder)["recipe"]
    clips = PlausibilityRecipe(**recipe.pop("clips"))
    return filled(NextFrameNet(PredictorRecipe(clips=clips, **recipe)), folder)


class NextFrameObjective(SmallObjective):
    """An objective for the loop; `clips` are possible ones, uint8 [clips, frames, 3, height, width]."""

    def __init__(self, clips: torch.Tensor, recipe: PredictorRecipe, seed: int) -> None:
        super().__init__(lambda: NextFrameNet(recipe), recipe, seed, decay=0.0)
        self.clips = clips

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        draw = random.Random(f"{self.seed}:{step}")  # noqa: S311
        length = self.recipe.context + 1
        windows = []
        for _ in range(self.recipe.batch):
            clip = self.clips[draw.randrange(len(self.clips))]
            start = draw.randrange(len(clip) - length + 1)
            window = clip[start : start + length]
            windows.append(window.flip(-1) if draw.random() < 0.5 else window)
        pixels = torch.stack(windows).to(device).float() / 255
        return 1000 * functional.mse_loss(self.network(pixels[:, :-1]), pixels[:, -1])


class SurpriseModel(SavedNetwork):
    """`path` is a folder written by `train_baseline grasp-predictor`."""

    family = "2-D convolutions"
    opened = staticmethod(opened)

    @property
    def inputs(self) -> str:
        return f"{self.network.recipe.clips.frames} frames"

    def reply_to(self, request: Request) -> Reply:
        clips = [turn.frames for turn in request.turns if isinstance(turn, Turn) and turn.frames]
        recipe = self.network.recipe
        if not clips or len(clips[-1]) <= recipe.context:
            return Reply("", error=f"predicts a frame from {recipe.context} before it: --sampler uniform-32")
        frames = clips[-1]
        pictures = brought_to(recipe.clips, torch.tensor(frames.pixels))
        surprises, times = self.network.surprises(pictures), frames.times[recipe.context :]
        if request.by_surprise:
            return Reply(surprises_written(surprises, times))
        return Reply(f"Answer: {times[surprises.index(max(surprises))]:.2f}")
