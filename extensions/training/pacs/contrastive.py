"""CLIP and AudioCLIP as fine-tuned in PACS: they choose the object whose vector is more similar to the question's.

Appendix 0.B.4 and 0.B.5. Of pretrained CLIP only the text projection is trained, and with sound also the linear layer
that joins picture and sound into one vector (512 + 1,024 numbers there; CLAP gives 512).
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from extensions.training.pacs.backbones import Backbone
from extensions.training.pacs.network import PairNetwork, Vectors
from extensions.training.pacs.recipes import CLAP, CLIP

MARGIN = 1.0
# Weights of CLIP's six crops at inference: PACS' own repository adds all six, and the last one twice more.
CROPS = (1.0, 1.0, 1.0, 1.0, 1.0, 3.0)


class Comparing(PairNetwork):
    """AudioCLIP if CLAP is among the backbones, else CLIP."""

    def __init__(self, backbones: Mapping[str, Backbone]) -> None:
        super().__init__(backbones)
        clip, hearing = self.backbones[CLIP], self.backbones.get(CLAP)
        # If CLIP is initialised here, its own projection is trained with everything else.
        self.projection = copy.deepcopy(clip.model.text_projection).requires_grad_(True) if clip.source else None
        self.joined = nn.Linear(clip.width + hearing.width, clip.width) if hearing else None

    @property
    def word_backbone(self) -> Backbone:
        return self.backbones[CLIP]

    def read(self, tokens: Any) -> torch.Tensor:
        return self.word_backbone.model.text_model(**tokens).pooler_output

    def margins(
        self, head: str, objects: Vectors, texts: Sequence[str], first: torch.Tensor, second: torch.Tensor
    ) -> torch.Tensor:
        """The difference of the two cosine similarities, -2 to 2; several crops are averaged with the weights CROPS."""
        project = self.projection or self.word_backbone.model.text_projection
        question_vectors = functional.normalize(project(self.questions(texts, first.device)), dim=-1)
        known = functional.normalize(self.embedded(objects), dim=-1)
        crops = torch.tensor(CROPS if known.shape[1] > 1 else (1.0,), device=known.device)
        alike = [(known[end] @ question_vectors[:, :, None])[..., 0] @ (crops / crops.sum()) for end in (first, second)]
        return alike[1] - alike[0]

    def embedded(self, objects: Vectors) -> torch.Tensor:
        """[objects, crops, width] of pictures, joined with sound if the network hears."""
        seen = objects[CLIP]
        if self.joined is None:
            return seen
        audio = objects[CLAP][:, None].expand(-1, seen.shape[1], -1)
        joined: torch.Tensor = self.joined(torch.cat([seen, audio], dim=-1))
        return joined

    def loss(self, margins: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Equation 1: the right object must be more similar to the question than the wrong one, by MARGIN.

        A triplet loss whose distance is minus the cosine: max(0, MARGIN + cos(wrong) - cos(right)).
        """
        return functional.relu(MARGIN - margins * (2 * labels - 1)).mean()
