"""Sampling with a random state for each conversation, so that the rest of the batch has no influence."""

from collections.abc import Sequence

import torch
from transformers import LogitsProcessor


class OwnChance(LogitsProcessor):
    """Adds Gumbel noise to the scores, so that the largest one is a draw from their softmax (Gumbel 1954).

    The noise is drawn on the CPU, so that a seed gives the same on every device. Temperature 0 adds none.
    """

    def __init__(self, temperatures: Sequence[float], chances: Sequence[torch.Generator]) -> None:
        self.temperatures, self.chances = temperatures, chances

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        noisy = scores.float().clone()
        for row, (temperature, chance) in enumerate(zip(self.temperatures, self.chances, strict=True)):
            if temperature > 0:
                noise = -torch.empty(scores.shape[-1]).exponential_(generator=chance).log()
                noisy[row] = noisy[row] / temperature + noise.to(scores.device)
        return noisy  # type: ignore[return-value]
