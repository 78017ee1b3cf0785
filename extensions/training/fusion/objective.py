"""What the small late-fusion model learns: which of two recorded objects fits a question. Takes minutes on a CPU."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from extensions.training.core.loop import SmallObjective
from extensions.training.fusion.network import HEARING, SIGHT, Fusion, normalised_powers, question_words
from extensions.training.fusion.trainer import FusionRecipe
from scenes.tapped.planning import PAIRS
from scenes.tapped.questions import material_questions, questions_about
from scenes.tapped.recording import Recording


@dataclass(frozen=True)
class FusionQuestion:
    """A question and its deciding channel; objects are indices of `FusionExamples.pictures`, `group` is that of four.

    `label` is 1 if the answer is the second object.
    """

    first: int
    second: int
    text: str
    label: int
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
        return sorted({word for question in self.questions for word in question_words(question.text)})


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


FRAMES_A_STEP = 2
DROPPED = 0.35  # probability that a model of two channels gets only one of them


class Fusing(SmallObjective):
    """An objective for the loop: questions about the objects of some groups at each step."""

    warm_up, largest_gradient = 0.1, 0.0

    def __init__(self, examples: FusionExamples, recipe: FusionRecipe, seed: int) -> None:
        words = examples.vocabulary
        super().__init__(lambda: Fusion(words, recipe.channels, recipe.width), recipe, seed, decay=recipe.decay)
        self.lessons, self.by_group = examples, _by_group(examples.questions)

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        chance = random.Random(f"{self.seed}:{step}:fusion")  # noqa: S311
        chosen = chance.sample(sorted(self.by_group), self.recipe.groups_a_step)
        questions = [one for group in chosen for one in self.by_group[group]]
        batch = object_batch(self.lessons, questions, self.recipe, chance)
        labels = torch.tensor([float(question.label) for question in questions], device=device)
        return functional.binary_cross_entropy_with_logits(margins(self.network, batch, questions), labels)


def _by_group(questions: Sequence[FusionQuestion]) -> dict[int, list[FusionQuestion]]:
    found: dict[int, list[FusionQuestion]] = {}
    for question in questions:
        found.setdefault(question.group, []).append(question)
    return found


@dataclass(frozen=True, eq=False)
class ObjectBatch:
    """Some objects as input; `places` maps each object's number to its index, a missing channel is None."""

    places: dict[int, int]
    pictures: torch.Tensor | None
    sounds: torch.Tensor | None

    def to(self, device: torch.device) -> "ObjectBatch":
        pictures, sounds = (None if part is None else part.to(device) for part in (self.pictures, self.sounds))
        return ObjectBatch(self.places, pictures, sounds)


def object_batch(
    examples: FusionExamples, questions: Sequence[FusionQuestion], recipe: FusionRecipe, chance: random.Random
) -> ObjectBatch:
    """The objects of these questions, each slightly augmented, some without one channel."""
    objects = sorted({number for question in questions for number in (question.first, question.second)})
    channels = set(recipe.channels)
    if len(channels) > 1 and chance.random() < DROPPED:
        channels = {chance.choice(sorted(channels))}
    frames = chance.sample(range(examples.pictures.shape[1]), FRAMES_A_STEP)
    generator = torch.Generator().manual_seed(chance.getrandbits(48))
    return ObjectBatch(
        {number: place for place, number in enumerate(objects)},
        lit(examples.pictures[objects][:, frames].float() / 255, generator) if SIGHT in channels else None,
        shifted(examples.sounds[objects], chance) if HEARING in channels else None,
    )


def lit(pictures: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Pictures randomly mirrored and relit, independently for each object."""
    draws = torch.rand(2, len(pictures), 1, 1, 1, 1, generator=generator)
    mirrored = torch.where(draws[0] < 0.5, pictures.flip(-1), pictures)
    return (mirrored * (0.85 + 0.3 * draws[1])).clamp(0, 1)


def shifted(sounds: torch.Tensor, chance: random.Random) -> torch.Tensor:
    """All sounds slightly shifted in time, with a few bands removed."""
    moved = sounds.roll(chance.randrange(-15, 16), dims=2).clone()
    band = chance.randrange(moved.shape[1] - 4)
    moved[:, band : band + chance.randrange(5)] = 0.0
    return moved


def margins(network: Fusion, batch: ObjectBatch, questions: Sequence[FusionQuestion]) -> torch.Tensor:
    """How much better the second object fits each question than the first."""
    batch = batch.to(device := network.question.weight.device)
    empty = torch.zeros(len(batch.places), network.question.out_features, device=device)
    sight = empty if batch.pictures is None else network.sight_of(batch.pictures)
    hearing = empty if batch.sounds is None else network.audio_vectors(batch.sounds)
    words = network.word_flags([one.text for one in questions]).to(device)
    first, second = ([batch.places[getattr(question, end)] for question in questions] for end in ("first", "second"))
    return network.scores(sight[second], hearing[second], words) - network.scores(sight[first], hearing[first], words)
