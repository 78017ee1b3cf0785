"""Trains, saves and registers the small video network, with clips that are in no pack."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from evaluation.models import Model, ModelRole
from extensions.training.core import checkpoints
from extensions.training.core.card_texts import ALL_TESTS, HERE, ON_TESTS, PLAUSIBILITY, SOME_TESTS, TRAINED
from extensions.training.core.checkpoints import Trained, TrainingMisused, learnt
from extensions.training.core.registration import movable
from extensions.training.core.trainer import ProgressReporter, TrainingOrder, title_of
from extensions.training.plausibility.recipes import RECIPES, SEED_OF_CLIPS, PlausibilityRecipe
from extensions.training.progress.learning_curves import CURVE

NAME, SLUG = "grasp-video", "video-network-here"
TITLES = {
    "small": "Small video network, trained on these scenes",
    "motion": "Small video network, trained on half of these tests",
}


class PlausibilityTrainer:
    """`train_baseline grasp-video`."""

    makes_clips = True

    def check(self, order: TrainingOrder) -> None:
        recipe_of(order.size)
        if order.pack:
            raise TrainingMisused(f"{NAME} makes its own clips: leave --pack out")

    def slug(self, order: TrainingOrder) -> str:
        return SLUG + ("" if order.size == "small" else f"-{order.size}") + order.suffix

    def key(self, order: TrainingOrder) -> str:
        return key_of(order.size, order.seed)

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        """Draw the clips, train, and put the weights at `out` in one move."""
        import torch

        from evaluation.adapters import THREADS
        from extensions.training.plausibility.examples import examples_of
        from extensions.training.plausibility.network import save
        from extensions.training.plausibility.objective import PlausibilityObjective

        recipe = recipe_of(order.size)
        torch.set_num_threads(THREADS)
        examples = examples_of(recipe, place_of_clips(recipe), watch.bar("Clips"))
        objective = PlausibilityObjective(examples, recipe, order.seed)
        facts: dict[str, Any] = {
            "name": NAME,
            "size": order.size,
            "seed": order.seed,
            "key": self.key(order),
            "tests": list(recipe.tests),
            "clips": recipe.clips,
            "frames": recipe.frames,
            "recipe": asdict(recipe),
        }
        steps = watch.steps("Training")
        return learnt(objective, out, write=lambda folder: save(objective.network, folder), facts=facts, progress=steps)

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        return register(trained, self.slug(order))


def recipe_of(size: str) -> PlausibilityRecipe:
    if size not in RECIPES:
        raise TrainingMisused(f"{NAME} has no size {size!r}; there are {', '.join(RECIPES)}")
    return RECIPES[size]


def key_of(size: str, seed: int) -> str:
    """SHA-256 over everything that determines the weights, except the machine."""
    return checkpoints.key_of({"recipe": asdict(recipe_of(size)), "seed": seed, "clips": SEED_OF_CLIPS})


def place_of_clips(recipe: PlausibilityRecipe) -> Path:
    """The file of the recipe's clips, shared by all seeds."""
    shape = [SEED_OF_CLIPS, recipe.tests, recipe.pairs, recipe.frames, recipe.height, recipe.width]
    return Path(settings.VAR_DIR) / "training" / NAME / f"{checkpoints.key_of({'clips': shape})[:20]}.npy"


def register(trained: Trained, slug: str = SLUG) -> Model:
    """Create or update the site's model; runs with older weights keep their revision."""
    facts = trained.facts
    model, _ = Model.objects.update_or_create(
        slug=slug,
        defaults={
            "name": title_of(TITLES[facts["size"]], facts["seed"]),
            "kind": "video-network",
            "role": ModelRole.TRAINED,
            "options": {"path": movable(trained.path)},
            "revision": facts["weights"],
            "made_here": True,
            "card": card_of(trained),
        },
    )
    return model


def _in_words(tests: list[str]) -> str:
    """The tests of the training; where they are not all of Level 2, by name."""
    if len(tests) == len(LEVEL_2):
        return ALL_TESTS.format(count=len(tests))
    return SOME_TESTS.format(tests=", ".join(tests))


def card_of(trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    figures = {key: facts[key] for key in ("seconds", "clips", "frames")}
    return {
        "what": PLAUSIBILITY.format(tests=_in_words(facts["tests"]), seed=SEED_OF_CLIPS, **figures),
        "organisation": HERE,
        "family": "3-D convolutions",
        "parameters": f"{facts['parameters'] / 1e6:.2f}M",
        "trained_on": ON_TESTS.format(clips=facts["clips"], count=len(facts["tests"])),
        "training": TRAINED.format(**{key: facts[key] for key in ("steps", "seconds", "device")}),
        "asked_with": f"--sampler uniform-{facts['frames']}",
        "size": facts["size"],
        "seed": facts["seed"],
        "curve": f"{movable(trained.path)}/{CURVE}",
    }
