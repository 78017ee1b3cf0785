"""Small networks: one that sees a single frame, and one that sees the whole clip (the positive control)."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

BATCH = 16  # pairs of clips
STEPS = {"picture": 250, "movie": 250}  # training batches, however few clips there are
Make = Callable[[], nn.Module]


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


class MovieNet(nn.Module):
    """Clips (N, 3, 16, 36, 48) -> a logit each, from every frame and its difference from the first one."""

    def __init__(self) -> None:
        super().__init__()
        self.look = nn.Sequential(nn.Conv2d(6, 8, 5, stride=3, padding=2), nn.ReLU())
        self.judge = nn.Sequential(
            nn.Conv3d(8, 16, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv3d(16, 24, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(24 * 4 * 3 * 4, 1),
        )

    def forward(self, clips: Tensor) -> Tensor:
        seen = torch.cat([clips, 3 * (clips - clips[:, :, :1])], dim=1).transpose(1, 2)
        looks = self.look(seen.flatten(0, 1)).unflatten(0, seen.shape[:2])
        return self.judge(looks.transpose(1, 2))[:, 0]


def picture_net(learn: NDArray, answers: NDArray, held: NDArray) -> NDArray:
    return _learnt(PictureNet, _pictures(learn), answers, _pictures(held), steps=STEPS["picture"])


def movie_net(learn: NDArray, answers: NDArray, held: NDArray) -> NDArray:
    """Probabilities of the held-out clips; half of the batches are mirrored, as no test depends on left and right."""
    movies, held_movies = _movies(learn), _movies(held)
    return _learnt(MovieNet, movies, answers, held_movies, steps=STEPS["movie"], mirrored=True)


def _learnt(
    make: Make, clips: Tensor, answers: NDArray, held: Tensor, *, steps: int, mirrored: bool = False
) -> NDArray:
    """Probabilities of the held-out clips by a network trained on pairs: on each clip's label and each pair's order."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    net = make()
    optimiser = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 2e-3, total_steps=steps)
    plausible, implausible = (torch.from_numpy(np.flatnonzero(answers == answer)) for answer in (False, True))
    net.train()
    for batch in _batches(len(plausible), steps):
        clip_pairs = torch.cat([clips[plausible[batch]], clips[implausible[batch]]])
        if mirrored and torch.rand(()) < 0.5:
            clip_pairs = clip_pairs.flip(-1)
        low, high = net(clip_pairs).chunk(2)
        loss = nn.functional.softplus(low) + nn.functional.softplus(-high) + nn.functional.softplus(low - high)
        optimiser.zero_grad()
        loss.mean().backward()
        optimiser.step()
        schedule.step()
    net.eval()
    with torch.no_grad():
        return torch.cat([net(part).sigmoid() for part in held.split(64)]).double().numpy()


def _batches(pairs: int, steps: int) -> Iterator[Tensor]:
    """Yield so many batches of pairs; no pair occurs more than once more often than another."""
    rounds = itertools.chain.from_iterable(torch.randperm(pairs).split(BATCH) for _ in itertools.count())
    return itertools.islice(rounds, steps)


def _pictures(pictures: NDArray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(pictures.transpose(0, 3, 1, 2))).float() / 255 - 0.5


def _movies(movies: NDArray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(movies.transpose(0, 4, 1, 2, 3))).float() / 255 - 0.5
