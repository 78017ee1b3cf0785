"""Shared by both kinds of network: the backbones, and the protocol for questions about two objects."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from extensions.training.pacs.backbones import Backbone
from extensions.training.pacs.inputs import Input, input_of

Vectors = Mapping[str, torch.Tensor]  # by part: [objects, width]; for CLIP [objects, crops, width]


class QuestionTooLong(ValueError):
    """A question does not fit into the model; questions are never truncated silently."""


class PairNetwork(nn.Module, ABC):
    """A network with backbones: new ones are trained; pretrained ones are frozen and in no state dict or checkpoint."""

    def __init__(self, backbones: Mapping[str, Backbone]) -> None:
        super().__init__()
        self.backbones = dict(backbones)
        self.drawn = nn.ModuleDict({part: one.model for part, one in backbones.items() if not one.source})
        found = {part: input_of(one, tuple(backbones)) for part, one in backbones.items()}
        self.inputs: dict[str, Input] = {part: one for part, one in found.items() if one is not None}
        self._said: dict[str, torch.Tensor] = {}  # question -> its vector, if the text backbone is frozen

    def moved(self, device: torch.device) -> None:
        """Move the frozen backbones to the device, too."""
        for one in self.backbones.values():
            one.model.to(device)

    def vectors(self, part: str, inputs: torch.Tensor) -> torch.Tensor:
        """Vectors [n, width] of the inputs of n objects."""
        backbone = self.backbones[part]
        if not backbone.source:
            return backbone.vectors(inputs)
        with torch.no_grad():
            return backbone.vectors(inputs).detach()

    def questions(self, texts: Sequence[str], device: torch.device) -> torch.Tensor:
        """Vectors [n, width] of questions; equal ones are encoded once, and cached if the text backbone is frozen."""
        different = list(dict.fromkeys(texts))
        places = torch.tensor([different.index(text) for text in texts], device=device)
        if self.word_backbone.source:
            if new := [text for text in different if text not in self._said]:
                with torch.no_grad():
                    self._said |= dict(zip(new, self.read(self.tokens(new).to(device)), strict=True))
            return torch.stack([self._said[text] for text in different])[places]
        return self.read(self.tokens(different).to(device))[places]

    def tokens(self, texts: Sequence[str]) -> Any:
        """Tokens of these texts; raises QuestionTooLong."""
        backbone = self.word_backbone
        tokenizer = getattr(backbone.reader, "tokenizer", backbone.reader)
        tokens = tokenizer(list(texts), padding=True, return_tensors="pt")
        config = getattr(backbone.model.config, "text_config", backbone.model.config)
        room, length = config.max_position_embeddings, tokens["input_ids"].shape[1]
        if length > room:
            longest = max(texts, key=len)
            raise QuestionTooLong(f"a question has {length} tokens, the model has room for {room}: {longest[:80]}")
        return tokens

    @property
    @abstractmethod
    def word_backbone(self) -> Backbone:
        """The backbone that reads questions."""

    @abstractmethod
    def read(self, tokens: Any) -> torch.Tensor:
        """[n, width] of tokens, before any layer on top of a frozen backbone."""

    @abstractmethod
    def margins(
        self, head: str, objects: Vectors, texts: Sequence[str], first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        """How much better the second object fits each question [n]; `first` and `second` are indices of objects."""

    @abstractmethod
    def loss(self, margins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The loss of these margins; `labels` are 1 for the second object and 0 for the first."""
