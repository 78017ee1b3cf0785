"""TVQA (Lei et al. 2018, EMNLP) as CRAFT's authors set it: the video stream alone; no subtitles, no answers read.

Shapes: n questions of L words about m videos of T frames, d is `size` (256), c the encoder's channels (256).
"""

import torch
from torch import nn

from evaluation.training.craft.reading import CELLS, Asked, Eye, Reader
from evaluation.training.craft.recipes import CraftRecipe


class Tvqa(nn.Module):
    """Frames and words go through one BiLSTM; every frame attends to the words; the most of all frames is judged."""

    def __init__(self, recipe: CraftRecipe, words: int, answers: int) -> None:
        super().__init__()
        size = recipe.size
        self.reader = Reader(words, size, both_ways=True)
        self.eye = Eye(recipe)
        self.frame = nn.Sequential(nn.Dropout(recipe.dropout), nn.Linear(self.eye.channels * CELLS**2, size), nn.Tanh())
        self.fused = nn.LSTM(6 * size, size, batch_first=True, bidirectional=True)
        self.judge = nn.Sequential(
            nn.Linear(2 * size, size), nn.ReLU(), nn.Dropout(recipe.dropout), nn.Linear(size, answers)
        )

    def forward(self, asked: Asked) -> torch.Tensor:
        pictures, which = asked.seen
        words, _ = self.reader(asked.words)  # [n, L, 2d]
        frames = self.frame(self.eye.cells(pictures).flatten(2))  # [m, T, d]
        lengths = torch.full((len(frames),), frames.shape[1])
        seen = self.reader.run(frames, lengths)[0][which]  # [n, T, 2d]
        told = attended(seen, words, asked.words.mask)
        joined, _ = self.fused(torch.cat([seen, told, seen * told], dim=2))
        return self.judge(joined.amax(1))


def attended(seen: torch.Tensor, words: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """For each frame the words that it fits, by dot product (BiDAF, Seo et al. 2017, context to query) [n, T, 2d]."""
    fits = (seen @ words.transpose(1, 2)).masked_fill(~mask[:, None], float("-inf"))
    return fits.softmax(2) @ words
