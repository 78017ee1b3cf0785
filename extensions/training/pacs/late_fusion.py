"""Late fusion as trained in PACS: a vector per channel, joined by small blocks, and one number for two objects.

Appendix 0.B.3.4. With only one channel and the question there is no block for the object; without the question there is
none for object and question.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from extensions.training.pacs.backbones import Backbone
from extensions.training.pacs.network import PairNetwork, Vectors
from extensions.training.pacs.recipes import QUESTION, name_of


def block(inputs: int, width: int, dropout: float) -> nn.Sequential:
    """[n, given] -> [n, width]: dropout, linear, layer norm, ReLU, as in PACS' own repository."""
    return nn.Sequential(nn.Dropout(dropout), nn.Linear(inputs, width), nn.LayerNorm(width), nn.ReLU())


class Head(nn.Module):
    """Decides from `parts`; `widths` are the widths of their vectors."""

    def __init__(self, parts: Sequence[str], widths: Mapping[str, int], width: int, dropout: float) -> None:
        super().__init__()
        self.shown = tuple(part for part in parts if part != QUESTION)
        self.norms = nn.ModuleDict({part: nn.BatchNorm1d(widths[part]) for part in parts})
        known = sum(widths[part] for part in self.shown)
        self.of_object = block(known, width, dropout) if len(self.shown) > 1 else None
        known = width if self.of_object else known
        self.of_both = block(known + widths[QUESTION], width, dropout) if QUESTION in parts else None
        self.answer = nn.Linear(2 * width, 1)

    def forward(
        self, objects: Vectors, questions: torch.Tensor | None, first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        """One number for each question [n]; above 0 means the second object."""
        object_vectors = torch.cat([self.norms[part](objects[part]) for part in self.shown], dim=1)
        if self.of_object is not None:
            object_vectors = self.of_object(object_vectors)
        ends = [object_vectors[first], object_vectors[second]]
        if self.of_both is not None and questions is not None:
            question_vectors = self.norms[QUESTION](questions)
            ends = [self.of_both(torch.cat([end, question_vectors], dim=1)) for end in ends]
        return self.answer(torch.cat(ends, dim=1))[:, 0]


class LateFusion(PairNetwork):
    """One head per set of channels; the heads share the backbones."""

    def __init__(
        self, backbones: Mapping[str, Backbone], heads: Sequence[Sequence[str]], width: int, dropout: float
    ) -> None:
        super().__init__(backbones)
        widths = {part: one.width for part, one in backbones.items()}
        self.heads = nn.ModuleDict({name_of(parts): Head(parts, widths, width, dropout) for parts in heads})

    @property
    def word_backbone(self) -> Backbone:
        return self.backbones[QUESTION]

    def read(self, tokens: Any) -> torch.Tensor:
        return self.word_backbone.vectors(tokens)

    def margins(
        self, head: str, objects: Vectors, texts: Sequence[str], first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        questions = self.questions(texts, first.device) if QUESTION in self.backbones else None
        scores: torch.Tensor = self.heads[head](objects, questions, first, second)
        return scores

    def loss(self, margins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Binary cross-entropy of the logits."""
        return functional.binary_cross_entropy_with_logits(margins, labels)
