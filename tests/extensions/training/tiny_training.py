"""A training of one second with everything that resuming could get wrong: dropout, momentum, an early stop."""

import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from extensions.training.core.loop import Loop, Reached, TrainingSchedule, warmth


class Tiny:
    """Separates the points of two half-planes; from step 30 on its learning rate is so high that it gets worse."""

    def __init__(self, seed: int = 3, pace: TrainingSchedule | None = None) -> None:
        self.seed, self.pace = seed, pace or TrainingSchedule(200, check_every=5, patience=3, largest_gradient=1.0)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = nn.Sequential(
                nn.Linear(2, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2)
            )

    def optimizers(self) -> list[torch.optim.Optimizer]:
        return [torch.optim.Adam(self.network.parameters(), lr=0.05)]

    def rate(self, step: int) -> float:
        return warmth(step / self.pace.steps) if step < 30 else 40.0

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        return self._on(f"{self.seed}{step}", device)

    def measure(self, device: torch.device) -> float:
        return -float(self._on("7", device).detach())

    def _on(self, seed: str, device: torch.device) -> torch.Tensor:
        points = torch.randn(32, 2, generator=torch.Generator().manual_seed(int(seed))).to(device)
        return functional.cross_entropy(self.network(points), (points.sum(1) > 0).long())


def train(
    folder: Path, *, pause: float = 0.0, after_each: Callable[[int], object] = lambda step: None, **how: object
) -> tuple[Tiny, Reached]:
    course = Tiny(**how)  # type: ignore[arg-type]

    def say(step: int, steps: int, loss: float) -> None:
        after_each(step)
        time.sleep(pause)

    return course, Loop(course, folder / "checkpoint", folder / "logs").run(say)
