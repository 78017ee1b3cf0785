"""Recordings of objects -> questions about two of them, as Tapped asks, each with the channel that decides it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from extensions.training.core import pair_question
from extensions.training.fusion.network import normalised_powers, question_words
from scenes.tapped.planning import PAIRS
from scenes.tapped.questions import material_questions, questions_about
from scenes.tapped.recording import Recording


@dataclass(frozen=True)
class FusionQuestion(pair_question.PairQuestion):
    """A question with its deciding channel; objects are indices of `FusionExamples.pictures`, `group` is their group of
    four."""

    channel: str
    action: str
    group: int


@dataclass(frozen=True, eq=False)
class FusionExamples:
    """Objects as tensors, and all questions about them."""

    pictures: torch.Tensor  # uint8 [objects, frames, 3, height, width]
    sounds: torch.Tensor  # [objects, bands, moments] from 0 to 1
    questions: tuple[FusionQuestion, ...]

    @property
    def vocabulary(self) -> list[str]:
        return sorted({word for one in self.questions for word in question_words(one.text)})


def fusion_examples(groups: Sequence[Sequence[Recording]], seed: int) -> FusionExamples:
    """All six pairs of each group's four objects, with their questions of both kinds."""
    everything = [one for group in groups for one in group]
    pictures = torch.from_numpy(np.stack([one.pictures for one in everything])).permute(0, 1, 4, 2, 3).contiguous()
    sounds = normalised_powers(torch.from_numpy(np.stack([one.samples for one in everything])))
    rng = np.random.default_rng(seed)
    questions, start = [], 0
    for number, group in enumerate(groups):
        for first, second in PAIRS:
            things = group[first].thing, group[second].thing
            for point in (*questions_about(*things), *material_questions(*things, rng)):
                places = start + first, start + second
                questions.append(
                    FusionQuestion(*places, point.text, point.label, point.channel, things[0].action, number)
                )
        start += len(group)
    return FusionExamples(pictures, sounds, tuple(questions))
