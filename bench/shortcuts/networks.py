"""A small network that sees a single frame."""

import itertools
from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

BATCH = 16  # pairs of clips
STEPS = 250  # training batches, however few clips there are


class PictureNet(nn.Module):
    """Frames (N, 3, 72, 96) -> a logit each; three strided convolutions that keep positions apart."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 12, 5, stride=3, padding=2),
            nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(24, 24, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(24 * 6 * 8, 1),
        )

    def forward(self, pictures: Tensor) -> Tensor:
        return self.layers(pictures)[:, 0]


def picture_net(learn: NDArray, answers: NDArray, held: NDArray) -> NDArray:
    """Probabilities of the held-out clips from a network trained on each clip's label and each pair's order."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    pictures, net = _pictures(learn), PictureNet()
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=STEPS)
    plausible, implausible = (torch.from_numpy(np.flatnonzero(answers == answer)) for answer in (False, True))
    net.train()
    for batch in _batches(len(plausible), STEPS):
        low, high = net(torch.cat([pictures[plausible[batch]], pictures[implausible[batch]]])).chunk(2)
        loss = nn.functional.softplus(low) + nn.functional.softplus(-high) + nn.functional.softplus(low - high)
        optimiser.zero_grad()
        loss.mean().backward()
        optimiser.step()
        schedule.step()
    net.eval()
    with torch.no_grad():
        return torch.cat([net(part).sigmoid() for part in _pictures(held).split(64)]).double().numpy()


def _batches(pairs: int, steps: int) -> Iterator[Tensor]:
    """Yield so many batches of pairs; the numbers of occurrences of pairs differ by at most one."""
    rounds = itertools.chain.from_iterable(torch.randperm(pairs).split(BATCH) for _ in itertools.count())
    return itertools.islice(rounds, steps)


def _pictures(pictures: NDArray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))).float() / 255 - 0.5
