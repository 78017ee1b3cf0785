"""TVQA+ (STAGE; Lei et al. 2020, ACL) as CRAFT's authors set it: no span proposals, no subtitles, no BERT.

Shapes: n questions of L words about m videos of T frames with R = 25 regions each, d is `size` (256).
"""

import math

import torch
from torch import nn
from torch.nn import functional

from evaluation.training.craft.reading import Asked, Eye, Reader
from evaluation.training.craft.recipes import CraftRecipe
from evaluation.training.craft.words import Words

MIDDLE = 300 / 256  # width of the first of two projections, of `size`
KERNEL, CONVOLUTIONS, SCALE = 7, 2, 10.0


class Projection(nn.Module):
    """To `size` numbers through 300, normalised before, between and after."""

    def __init__(self, given: int, size: int, dropout: float) -> None:
        super().__init__()
        middle = round(MIDDLE * size)
        self.layers = nn.Sequential(
            nn.LayerNorm(given), nn.Dropout(dropout), nn.Linear(given, middle), nn.ReLU(),
            nn.LayerNorm(middle), nn.Dropout(dropout), nn.Linear(middle, size), nn.ReLU(), nn.LayerNorm(size),
        )  # fmt: skip

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        return self.layers(vectors)


class Encoder(nn.Module):
    """Places, then two depth-wise separable convolutions, each beside the identity; no attention."""

    def __init__(self, size: int, dropout: float) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(size) for _ in range(CONVOLUTIONS))
        self.deep = nn.ModuleList(
            nn.Conv1d(size, size, KERNEL, padding=KERNEL // 2, groups=size) for _ in range(CONVOLUTIONS)
        )
        self.across = nn.ModuleList(nn.Conv1d(size, size, 1) for _ in range(CONVOLUTIONS))
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """[n, L, d] -> [n, L, d]; what the mask [n, L, 1] leaves out is nothing to its neighbours."""
        found = vectors + places(vectors.shape[1], vectors.shape[2]).to(vectors.device)
        for norm, deep, across in zip(self.norms, self.deep, self.across, strict=True):
            seen = across(deep((norm(found) * mask).transpose(1, 2))).transpose(1, 2)
            found = found + self.dropout(torch.relu(seen))
        return found


class TvqaPlus(nn.Module):
    """Every word attends to the regions of every frame; words and frames are averaged."""

    def __init__(self, recipe: CraftRecipe, words: int, answers: int) -> None:
        super().__init__()
        size = recipe.size
        self.reader = Reader(words, size)
        self.eye = Eye(recipe)
        self.project_words = Projection(size, size, recipe.dropout)
        self.project_regions = Projection(self.eye.channels, size, recipe.dropout)
        self.encoder = Encoder(size, recipe.dropout)
        self.join = nn.Sequential(nn.Linear(3 * size, size), nn.ReLU())
        self.judge = nn.Linear(size, answers)

    def forward(self, asked: Asked) -> torch.Tensor:
        pictures, which = asked.seen
        words = self._words(asked.words)
        regions = self._regions(pictures)[which]
        told = grounded(words, regions)  # [n, T, L, d]
        asking = words[:, None].expand_as(told)
        joined = self.join(torch.cat([asking, told, asking * told], dim=3)).mean(1)  # over frames: all are whole
        mask = asked.words.mask[..., None]
        return self.judge((joined * mask).sum(1) / mask.sum(1))

    def _words(self, words: Words) -> torch.Tensor:
        """[n, L, d]."""
        return self.encoder(self.project_words(self.reader(words)[0]), words.mask[..., None])

    def _regions(self, pictures: torch.Tensor) -> torch.Tensor:
        """[m, T, R, d]: 5 × 5 places a frame."""
        cells = self.eye.cells(pictures).flatten(3).transpose(2, 3)  # [m, T, R, c]
        known = self.project_regions(functional.normalize(cells, dim=3))
        whole = torch.ones(1, known.shape[2], 1, dtype=torch.bool, device=known.device)
        return self.encoder(known.flatten(0, 1), whole).unflatten(0, known.shape[:2])


def grounded(words: torch.Tensor, regions: torch.Tensor) -> torch.Tensor:
    """For each frame and word the regions that the word fits, by cosine times 10 [n, T, L, d]."""
    fits = torch.einsum("nld,ntrd->ntlr", functional.normalize(words, dim=2), functional.normalize(regions, dim=3))
    return torch.einsum("ntlr,ntrd->ntld", (SCALE * fits).softmax(3), regions)


def places(length: int, size: int) -> torch.Tensor:
    """Sines and cosines of each place (Vaswani et al. 2017, section 3.5) [length, size]."""
    waves = torch.exp(-math.log(10_000.0) * torch.arange(0, size, 2) / size)
    angles = torch.arange(length)[:, None] * waves
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)[:, :size]
