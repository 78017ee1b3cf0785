"""Trains, saves and registers the predictor, with possible clips that are in no pack."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.models import Model, ModelRole
from extensions.training.core import checkpoints
from extensions.training.core.card_texts import HERE, NONE, NOTHING, ON_POSSIBLE_CLIPS, PREDICTOR, TRAINED
from extensions.training.core.checkpoints import Trained, TrainingMisused, learnt
from extensions.training.core.registration import movable
from extensions.training.core.trainer import ProgressReporter, TrainingOrder, title_of
from extensions.training.plausibility.recipes import SEED_OF_CLIPS
from extensions.training.plausibility.trainer import place_of_clips
from extensions.training.progress.learning_curves import CURVE
from extensions.training.surprise.recipes import RECIPES, PredictorRecipe

NAME, SLUG = "grasp-predictor", "frame-predictor-here"
TITLES = {"small": "Next-frame predictor, trained on these scenes", "untrained": "Next-frame predictor, untrained"}


class PredictorTrainer:
    """`train_baseline grasp-predictor`."""

    makes_clips = True

    def check(self, order: TrainingOrder) -> None:
        recipe_of(order.size)
        if order.pack:
            raise TrainingMisused(f"{NAME} makes its own clips: leave --pack out")

    def slug(self, order: TrainingOrder) -> str:
        return SLUG + ("" if order.size == "small" else f"-{order.size}") + order.suffix

    def key(self, order: TrainingOrder) -> str:
        recipe = asdict(recipe_of(order.size))
        return checkpoints.key_of({"recipe": recipe, "seed": order.seed, "clips": SEED_OF_CLIPS, "name": NAME})

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        """Draw the clips, train, and put the weights at `out` in one move."""
        import torch

        from evaluation.adapters import THREADS
        from extensions.training.plausibility.examples import examples_of
        from extensions.training.surprise.network import save
        from extensions.training.surprise.objective import NextFrameObjective

        recipe = recipe_of(order.size)
        torch.set_num_threads(THREADS)
        examples = examples_of(recipe.clips, place_of_clips(recipe.clips), watch.bar("Clips"))
        objective = NextFrameObjective(examples.clips[:, 0], recipe, order.seed)  # the possible clip of each pair
        facts: dict[str, Any] = {
            "name": NAME,
            "size": order.size,
            "seed": order.seed,
            "key": self.key(order),
            "clips": len(examples.clips),
            "frames": recipe.clips.frames,
            "context": recipe.context,
            "recipe": asdict(recipe),
        }
        steps = watch.steps("Training")
        return learnt(objective, out, write=lambda folder: save(objective.network, folder), facts=facts, progress=steps)

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        """Create or update the site's model; runs with older weights keep their revision."""
        facts = trained.facts
        model, _ = Model.objects.update_or_create(
            slug=self.slug(order),
            defaults={
                "name": title_of(TITLES[facts["size"]], facts["seed"]),
                "kind": "surprise",
                "role": ModelRole.CONTROL if facts["size"] == "untrained" else ModelRole.TRAINED,
                "options": {"path": movable(trained.path)},
                "revision": facts["weights"],
                "made_here": True,
                "card": card_of(trained),
            },
        )
        return model


def recipe_of(size: str) -> PredictorRecipe:
    if size not in RECIPES:
        raise TrainingMisused(f"{NAME} has no size {size!r}; there are {', '.join(RECIPES)}")
    return RECIPES[size]


def card_of(trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    figures = {key: facts[key] for key in ("seconds", "clips", "context")}
    is_trained = facts["size"] != "untrained"
    return {
        "what": PREDICTOR[facts["size"]].format(seed=SEED_OF_CLIPS, **figures),
        "organisation": HERE,
        "family": "2-D convolutions",
        "parameters": f"{facts['parameters'] / 1e6:.2f}M",
        "trained_on": ON_POSSIBLE_CLIPS.format(clips=facts["clips"]) if is_trained else NOTHING,
        "training": TRAINED.format(**{key: facts[key] for key in ("steps", "seconds", "device")})
        if is_trained
        else NONE,
        "asked_with": f"--strategy surprise --sampler uniform-{facts['frames']}",
        "size": facts["size"],
        "seed": facts["seed"],
        "curve": f"{movable(trained.path)}/{CURVE}",
    }
