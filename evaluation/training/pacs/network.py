"""What both kinds of network share: backbones, trained or only asked, and how two objects are answered about."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from evaluation.training.pacs.backbones import Backbone
from evaluation.training.pacs.inputs import Input, input_of

Vectors = Mapping[str, torch.Tensor]  # by part: [objects, width]; of CLIP [objects, crops, width]


class TooLong(ValueError):
    """A question does not fit into the model; it is never cut silently."""


class PairNetwork(nn.Module, ABC):
    """Backbones drawn here are part of it and trained; those with weights of others stay as they are, outside of its
    state, so that no checkpoint holds them."""

    def __init__(self, backbones: Mapping[str, Backbone]) -> None:
        super().__init__()
        self.backbones = dict(backbones)
        self.drawn = nn.ModuleDict({part: one.model for part, one in backbones.items() if not one.source})
        found = {part: input_of(one, tuple(backbones)) for part, one in backbones.items()}
        self.inputs: dict[str, Input] = {part: one for part, one in found.items() if one is not None}
        self._said: dict[str, torch.Tensor] = {}  # question -> its vector, where the words' backbone is not trained

    def moved(self, device: torch.device) -> None:
        """Put the backbones that are no part of the state on the device, too."""
        for one in self.backbones.values():
            one.model.to(device)

    def vectors(self, part: str, given: torch.Tensor) -> torch.Tensor:
        """[n, width] of what `inputs` gives of n objects."""
        backbone = self.backbones[part]
        if not backbone.source:
            return backbone.vectors(given)
        with torch.no_grad():
            return backbone.vectors(given).detach()

    def questions(self, texts: Sequence[str], device: torch.device) -> torch.Tensor:
        """[n, width] of questions; each different one is read once, and kept where nothing of it changes."""
        different = list(dict.fromkeys(texts))
        places = torch.tensor([different.index(text) for text in texts], device=device)
        if self.word_backbone.source:
            if new := [text for text in different if text not in self._said]:
                with torch.no_grad():
                    self._said |= dict(zip(new, self.read(self.tokens(new).to(device)), strict=True))
            return torch.stack([self._said[text] for text in different])[places]
        return self.read(self.tokens(different).to(device))[places]

    def tokens(self, texts: Sequence[str]) -> Any:
        """Raises TooLong."""
        backbone = self.word_backbone
        tokenizer = getattr(backbone.reader, "tokenizer", backbone.reader)
        tokens = tokenizer(list(texts), padding=True, return_tensors="pt")
        config = getattr(backbone.model.config, "text_config", backbone.model.config)
        room, length = config.max_position_embeddings, tokens["input_ids"].shape[1]
        if length > room:
            longest = max(texts, key=len)
            raise TooLong(f"a question has {length} tokens, the model has room for {room}: {longest[:80]}")
        return tokens

    @property
    @abstractmethod
    def word_backbone(self) -> Backbone:
        """The one that reads questions."""

    @abstractmethod
    def read(self, tokens: Any) -> torch.Tensor:
        """[n, width] of tokens, before anything of it is trained."""

    @abstractmethod
    def margins(
        self, head: str, objects: Vectors, texts: Sequence[str], first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        """By how much the second object fits each question better [n]; `first` and `second` are numbers of objects."""

    @abstractmethod
    def loss(self, margins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Of these margins, where `labels` are 1 for the second object and 0 for the first."""
