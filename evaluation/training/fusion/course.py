"""What the small late-fusion model is taught: which of two objects fits a question. Minutes on a CPU."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional

from evaluation.training.fusion.network import Fusion
from evaluation.training.fusion.pairs import Asked, Lessons
from evaluation.training.fusion.recipes import HEARING, SIGHT, FusionRecipe
from evaluation.training.loop import Loop, Pace, Progress
from evaluation.training.rates import warmth

FRAMES_A_STEP = 2
DROPPED = 0.35  # how often a model of two channels is given one of them alone
WARM_UP = 0.1  # of all steps


class Fusing:
    """A course for the loop: a network with its first weights drawn from the seed, and lessons."""

    measure = None  # it goes on to its end without a look at other objects

    def __init__(self, lessons: Lessons, recipe: FusionRecipe, seed: int) -> None:
        self.lessons, self.recipe, self.seed, self.pace = lessons, recipe, seed, Pace(recipe.steps)
        self.by_group = _by_group(lessons.asked)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = Fusion(lessons.vocabulary, recipe.channels, recipe.width)

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        return [torch.optim.AdamW(self.network.parameters(), lr=self.recipe.rate, weight_decay=self.recipe.decay)]

    def rate(self, step: int) -> float:
        return warmth(step / self.recipe.steps, WARM_UP)

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        chance = random.Random(f"{self.seed}:{step}:fusion")  # noqa: S311
        chosen = chance.sample(sorted(self.by_group), self.recipe.groups_a_step)
        asked = [one for group in chosen for one in self.by_group[group]]
        given = shown(self.lessons, asked, self.recipe, chance)
        labels = torch.tensor([float(one.label) for one in asked], device=device)
        return functional.binary_cross_entropy_with_logits(margins(self.network, given, asked), labels)


def trained_on(lessons: Lessons, recipe: FusionRecipe, seed: int, progress: Progress) -> Fusion:
    """A network that learnt these lessons; the same seed gives the same on one machine."""
    course = Fusing(lessons, recipe, seed)
    Loop(course).run(progress)
    return course.network


def _by_group(asked: Sequence[Asked]) -> dict[int, list[Asked]]:
    found: dict[int, list[Asked]] = {}
    for one in asked:
        found.setdefault(one.group, []).append(one)
    return found


@dataclass(frozen=True, eq=False)
class Shown:
    """Some objects as they are given: `places` says where each object's number stands; None is not given."""

    places: dict[int, int]
    pictures: torch.Tensor | None
    sounds: torch.Tensor | None

    def to(self, device: torch.device) -> "Shown":
        pictures, sounds = (None if part is None else part.to(device) for part in (self.pictures, self.sounds))
        return Shown(self.places, pictures, sounds)


def shown(lessons: Lessons, asked: Sequence[Asked], recipe: FusionRecipe, chance: random.Random) -> Shown:
    """The objects that these questions are about, each a little changed; now and then without one channel."""
    objects = sorted({number for one in asked for number in (one.first, one.second)})
    given = set(recipe.channels)
    if len(given) > 1 and chance.random() < DROPPED:
        given = {chance.choice(sorted(given))}
    frames = chance.sample(range(lessons.pictures.shape[1]), FRAMES_A_STEP)
    generator = torch.Generator().manual_seed(chance.getrandbits(48))
    return Shown(
        {number: place for place, number in enumerate(objects)},
        lit(lessons.pictures[objects][:, frames].float() / 255, generator) if SIGHT in given else None,
        shifted(lessons.sounds[objects], chance) if HEARING in given else None,
    )


def everything(lessons: Lessons, channels: Sequence[str]) -> Shown:
    """All objects unchanged, on these channels."""
    return Shown(
        {number: number for number in range(len(lessons.sounds))},
        lessons.pictures.float() / 255 if SIGHT in channels else None,
        lessons.sounds if HEARING in channels else None,
    )


def lit(pictures: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Mirrored or not, and in another light, each object in its own way."""
    draws = torch.rand(2, len(pictures), 1, 1, 1, 1, generator=generator)
    mirrored = torch.where(draws[0] < 0.5, pictures.flip(-1), pictures)
    return (mirrored * (0.85 + 0.3 * draws[1])).clamp(0, 1)


def shifted(sounds: torch.Tensor, chance: random.Random) -> torch.Tensor:
    """All a little earlier or later, and without a few bands."""
    moved = sounds.roll(chance.randrange(-15, 16), dims=2).clone()
    band = chance.randrange(moved.shape[1] - 4)
    moved[:, band : band + chance.randrange(5)] = 0.0
    return moved


def margins(network: Fusion, given: Shown, asked: Sequence[Asked]) -> torch.Tensor:
    """By how much the second object fits each question better than the first."""
    given = given.to(device := network.question.weight.device)
    empty = torch.zeros(len(given.places), network.question.out_features, device=device)
    sight = empty if given.pictures is None else network.sight_of(given.pictures)
    hearing = empty if given.sounds is None else network.hearing_of(given.sounds)
    words = network.as_words([one.text for one in asked]).to(device)
    first, second = ([given.places[getattr(one, end)] for one in asked] for end in ("first", "second"))
    return network.scores(sight[second], hearing[second], words) - network.scores(sight[first], hearing[first], words)
