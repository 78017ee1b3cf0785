"""Training objective of the predictor: the next frame of possible clips."""

import random
from collections.abc import Sequence

import torch
from torch.nn import functional

from extensions.training.core.loop import TrainingSchedule
from extensions.training.core.schedule import warmth
from extensions.training.surprise.network import NextFrameNet
from extensions.training.surprise.recipes import PredictorRecipe


class NextFrameObjective:
    """An objective for the loop; `clips` are possible ones, uint8 [clips, frames, 3, height, width]."""

    measure = None  # trained to the end without checks on other clips

    def __init__(self, clips: torch.Tensor, recipe: PredictorRecipe, seed: int) -> None:
        self.clips, self.recipe, self.seed = clips, recipe, seed
        self.pace = TrainingSchedule(recipe.steps, largest_gradient=1.0)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = NextFrameNet(recipe)

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        return [torch.optim.AdamW(self.network.parameters(), lr=self.recipe.rate, weight_decay=0.0)]

    def rate(self, step: int) -> float:
        return warmth(step / self.recipe.steps)

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
