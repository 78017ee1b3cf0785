"""`train_baseline` of the small video network: its settings as data, its clips, which are in no pack, and its card."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from evaluation.models import Model, ModelRole
from extensions.training.core import checkpoints, registration
from extensions.training.core.checkpoints import Facts, Trained
from extensions.training.core.registration import register
from extensions.training.core.trainer import OwnExamplesTrainer, ProgressReporter, TrainingOrder

SEED_OF_CLIPS = 900_000  # far from the seeds of packs, so that no clip of a leaderboard is in the training
HOW_THINGS_MOVE = frozenset({"gravity", "inertia", "collision", "support"})
MOTION_TESTS = tuple(test.name for test in LEVEL_2 if HOW_THINGS_MOVE & set(test.concepts))


@dataclass(frozen=True)
class PlausibilityRecipe:
    """Everything that determines a training except the seed."""

    tests: tuple[str, ...] = tuple(test.name for test in LEVEL_2)
    pairs: int = 64  # per test: the same scene as a plausible and as an implausible clip
    frames: int = 16  # evenly spaced
    height: int = 36  # pixels
    width: int = 48
    channels: tuple[int, int, int] = (16, 32, 48)
    dropout: float = 0.3
    steps: int = 1000
    batch: int = 16  # pairs
    rate: float = 2e-3
    decay: float = 0.01

    @property
    def sampler(self) -> str:
        """The name of the frame sampler, as runs use it."""
        return f"uniform-{self.frames}"

    @property
    def clips(self) -> int:
        return 2 * self.pairs * len(self.tests)


# "motion" saw half of the tests and shows what a network knows of concepts that it was never trained on.
RECIPES = {"small": PlausibilityRecipe(), "motion": PlausibilityRecipe(tests=MOTION_TESTS, steps=500)}


NAME, SLUG = "grasp-video", "video-network-here"
TITLES = {
    "small": "Small video network, trained on these scenes",
    "motion": "Small video network, trained on half of these tests",
}


class PlausibilityTrainer(OwnExamplesTrainer[PlausibilityRecipe]):
    """`train_baseline grasp-video`."""

    sizes, source = RECIPES, {"clips": SEED_OF_CLIPS}

    def slug(self, order: TrainingOrder) -> str:
        return SLUG + order.sized_suffix

    def prepared(self, order: TrainingOrder, watch: ProgressReporter) -> tuple[Any, Callable[[Any, Path], None], Facts]:
        from extensions.training.core.saved_network import save_with_recipe
        from extensions.training.plausibility.objective import PlausibilityObjective, examples_of

        recipe = self.recipe(order)
        examples = examples_of(recipe, place_of_clips(recipe), watch.bar("Clips"))
        objective = PlausibilityObjective(examples, recipe, order.seed)
        facts = {"tests": list(recipe.tests), "clips": recipe.clips, "frames": recipe.frames}
        return objective, save_with_recipe, facts

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        title, card = TITLES[order.size], card_of(trained)
        return register(trained, self.slug(order), title=title, kind="video-network", card=card, role=ModelRole.TRAINED)


def place_of_clips(recipe: PlausibilityRecipe) -> Path:
    """The file of the recipe's clips, shared by all seeds."""
    shape = [SEED_OF_CLIPS, recipe.tests, recipe.pairs, recipe.frames, recipe.height, recipe.width]
    return Path(settings.VAR_DIR) / "training" / NAME / f"{checkpoints.key_of({'clips': shape})[:20]}.npy"


def _in_words(tests: list[str]) -> str:
    """The tests of the training; where they are not all of Level 2, by name."""
    if len(tests) == len(LEVEL_2):
        return f"the {len(tests)} tests of Level 2"
    return f"{', '.join(tests)} of Level 2, and no clip of the other tests"


def card_of(trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    what = (
        "A very small network of convolutions over time and picture. It was trained here, from weights drawn at random,"
        f" for {facts['seconds']:.0f} seconds on {facts['clips']} clips made with other seeds (seed {SEED_OF_CLIPS}) of"
        f" the very scenes that it is asked about: {_in_words(facts['tests'])}. Its figures therefore don't compare"
        " with those of models that never saw such clips; it counts as a baseline and is never the best model. It looks"
        f" at {facts['frames']} frames and reads no question."
    )
    return registration.card_of(
        trained,
        what=what,
        family="3-D convolutions",
        trained_on=f"{facts['clips']} clips of {len(facts['tests'])} tests of Level 2, made for training",
        asked_with=f"--sampler uniform-{facts['frames']}",
    )
