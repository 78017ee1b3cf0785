"""MAC (Hudson & Manning 2018, ICLR) as CRAFT's authors set it: no self-attention, no memory gate.

Shapes: n questions of L words, d is `size` (256), P places of the clip's map.
"""

import torch
from torch import nn
from torch.nn import functional

from evaluation.training.craft.reading import Asked, Eye, Reader
from evaluation.training.craft.recipes import CraftRecipe


class Stem(nn.Module):
    """The encoder's maps -> knowledge [m, P, d]: twice a convolution of 3, batch norm, ELU."""

    def __init__(self, channels: int, size: int, *, is_solid: bool) -> None:
        super().__init__()
        conv, norm = (nn.Conv3d, nn.BatchNorm3d) if is_solid else (nn.Conv2d, nn.BatchNorm2d)
        self.layers = nn.Sequential(
            conv(channels, size, 3, padding=1), norm(size), nn.ELU(),
            conv(size, size, 3, padding=1), norm(size), nn.ELU(),
        )  # fmt: skip

    def forward(self, maps: torch.Tensor) -> torch.Tensor:
        return self.layers(maps).flatten(2).transpose(1, 2)


class Mac(nn.Module):
    """Control attends to words, read to places of the map, write makes a new memory; so many steps, shared weights."""

    def __init__(self, recipe: CraftRecipe, words: int, answers: int) -> None:
        super().__init__()
        size = recipe.size
        self.size, self.steps, self.drop = size, recipe.reasoning, recipe.dropout
        self.reader = Reader(words, size, both_ways=True)
        self.eye = Eye(recipe)
        self.stem = Stem(self.eye.channels, size, is_solid=recipe.is_solid)
        self.word = nn.Linear(2 * size, size)
        self.positions = nn.ModuleList(nn.Linear(2 * size, size) for _ in range(recipe.reasoning))
        self.intend, self.attend_words = nn.Linear(2 * size, size), nn.Linear(size, 1)
        self.recall, self.look = nn.Linear(size, size), nn.Linear(2 * size, size)
        self.attend_places = nn.Linear(size, 1)
        self.write = nn.Linear(2 * size, size)
        self.control = nn.Parameter(torch.zeros(1, size))
        self.memory = nn.Parameter(torch.zeros(1, size))
        self.judge = nn.Sequential(nn.Linear(3 * size, size), nn.ELU(), nn.Linear(size, answers))
        self._draw()

    def _draw(self) -> None:
        """First weights: uniform words, Xavier for linear layers, Kaiming for what an ELU follows."""
        nn.init.uniform_(self.reader.embedding.weight, 0.0, 1.0)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        for module in (*self.stem.layers, self.judge[0]):
            if isinstance(module, nn.Conv2d | nn.Conv3d | nn.Linear):
                nn.init.kaiming_uniform_(module.weight)

    def forward(self, asked: Asked) -> torch.Tensor:
        pictures, which = asked.seen
        states, question = self.reader(asked.words)
        words = self.word(states)
        maps = self.eye(pictures)
        knowledge = self.stem(maps if self.eye.is_solid else maps[:, 0])[which] / self.size**0.5
        control = self.control.expand(len(words), -1)
        memory = self.memory.expand(len(words), -1)
        kept_control, kept_memory = self._kept(control), self._kept(memory)
        for position in self.positions:
            control = self._intended(control, position(question), words, asked.words.mask) * kept_control
            memory = self.write(torch.cat([self._read(control, memory, knowledge), memory], dim=1)) * kept_memory
        return self.judge(torch.cat([memory, question], dim=1))

    def _kept(self, like: torch.Tensor) -> torch.Tensor:
        """Dropout that is the same in all steps (Gal & Ghahramani 2016)."""
        return functional.dropout(torch.ones_like(like), self.drop, self.training)

    def _intended(
        self, control: torch.Tensor, question: torch.Tensor, words: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        wanted = self.intend(torch.cat([control, question], dim=1))
        weights = self.attend_words(wanted[:, None] * words)[..., 0].masked_fill(~mask, float("-inf")).softmax(1)
        return (weights[..., None] * words).sum(1)

    def _read(self, control: torch.Tensor, memory: torch.Tensor, knowledge: torch.Tensor) -> torch.Tensor:
        """[n, d], [n, d], [n, P, d] -> what of the map fits both [n, d]."""
        related = self.recall(memory)[:, None] * knowledge
        found = self.look(torch.cat([related, knowledge], dim=2)) * control[:, None]
        weights = self.attend_places(found)[..., 0].softmax(1)
        return (weights[..., None] * knowledge).sum(1)
