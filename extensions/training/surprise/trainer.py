"""Trains, saves and registers the predictor, with possible clips that are in no pack."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.models import Model, ModelRole
from extensions.training.core import checkpoints, registration
from extensions.training.core.card_texts import NONE, NOTHING, ON_POSSIBLE_CLIPS, PREDICTOR
from extensions.training.core.checkpoints import Trained, learnt
from extensions.training.core.registration import register
from extensions.training.core.trainer import OwnExamplesTrainer, ProgressReporter, TrainingOrder
from extensions.training.plausibility.recipes import SEED_OF_CLIPS
from extensions.training.plausibility.trainer import place_of_clips
from extensions.training.surprise.recipes import RECIPES, PredictorRecipe

NAME, SLUG = "grasp-predictor", "frame-predictor-here"
TITLES = {"small": "Next-frame predictor, trained on these scenes", "untrained": "Next-frame predictor, untrained"}


class PredictorTrainer(OwnExamplesTrainer[PredictorRecipe]):
    """`train_baseline grasp-predictor`."""

    sizes = RECIPES

    def slug(self, order: TrainingOrder) -> str:
        return SLUG + order.sized_suffix

    def key(self, order: TrainingOrder) -> str:
        recipe = asdict(self.recipe(order))
        return checkpoints.key_of({"recipe": recipe, "seed": order.seed, "clips": SEED_OF_CLIPS, "name": NAME})

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        """Draw the clips, train, and put the weights at `out` in one move."""
        import torch

        from evaluation.adapters import THREADS
        from extensions.training.plausibility.examples import examples_of
        from extensions.training.surprise.network import save
        from extensions.training.surprise.objective import NextFrameObjective

        recipe = self.recipe(order)
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
        role = ModelRole.CONTROL if order.size == "untrained" else ModelRole.TRAINED
        title, card = TITLES[order.size], card_of(trained)
        return register(trained, self.slug(order), title=title, kind="surprise", card=card, role=role)


def card_of(trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    figures = {key: facts[key] for key in ("seconds", "clips", "context")}
    is_trained = facts["size"] != "untrained"
    return registration.card_of(
        trained,
        what=PREDICTOR[facts["size"]].format(seed=SEED_OF_CLIPS, **figures),
        family="2-D convolutions",
        trained_on=ON_POSSIBLE_CLIPS.format(clips=facts["clips"]) if is_trained else NOTHING,
        training="" if is_trained else NONE,
        asked_with=f"--strategy surprise --sampler uniform-{facts['frames']}",
    )
