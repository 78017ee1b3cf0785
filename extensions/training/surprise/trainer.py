"""Trains, saves and registers the predictor, with possible clips that are in no pack."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.models import Model, ModelRole
from extensions.training.core import registration
from extensions.training.core.checkpoints import Facts, Trained
from extensions.training.core.registration import register
from extensions.training.core.trainer import OwnExamplesTrainer, ProgressReporter, TrainingOrder
from extensions.training.plausibility.trainer import SEED_OF_CLIPS, PlausibilityRecipe, place_of_clips

CLIPS = PlausibilityRecipe(pairs=12, frames=32)


@dataclass(frozen=True)
class PredictorRecipe:
    """Everything that determines a training except the seed; training uses only possible clips."""

    clips: PlausibilityRecipe = CLIPS
    context: int = 3  # frames from which the next one is predicted
    channels: tuple[int, int] = (24, 48)
    steps: int = 1500
    batch: int = 32  # windows
    rate: float = 2e-3


# "untrained" keeps the initial weights: one step at a rate of 0.
RECIPES = {"small": PredictorRecipe(), "untrained": PredictorRecipe(steps=1, rate=0.0)}


NAME, SLUG = "grasp-predictor", "frame-predictor-here"
TITLES = {"small": "Next-frame predictor, trained on these scenes", "untrained": "Next-frame predictor, untrained"}
UNTRAINED = (
    "The same network as the next-frame predictor of this site with the weights as they were drawn: what its figures"
    " are without any learning."
)


class PredictorTrainer(OwnExamplesTrainer[PredictorRecipe]):
    """`train_baseline grasp-predictor`."""

    sizes, source = RECIPES, {"clips": SEED_OF_CLIPS, "name": NAME}

    def slug(self, order: TrainingOrder) -> str:
        return SLUG + order.sized_suffix

    def prepared(self, order: TrainingOrder, watch: ProgressReporter) -> tuple[Any, Callable[[Any, Path], None], Facts]:
        from extensions.training.core.saved_network import save_with_recipe
        from extensions.training.plausibility.objective import examples_of
        from extensions.training.surprise.network import NextFrameObjective

        recipe = self.recipe(order)
        examples = examples_of(recipe.clips, place_of_clips(recipe.clips), watch.bar("Clips"))
        objective = NextFrameObjective(examples.clips[:, 0], recipe, order.seed)  # the possible clip of each pair
        facts = {"clips": len(examples.clips), "frames": recipe.clips.frames, "context": recipe.context}
        return objective, save_with_recipe, facts

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        role = ModelRole.CONTROL if order.size == "untrained" else ModelRole.TRAINED
        title, card = TITLES[order.size], card_of(trained)
        return register(trained, self.slug(order), title=title, kind="surprise", card=card, role=role)


def card_of(trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    what = (
        f"A very small network that predicts the next frame from the {facts['context']} before it. It was trained here,"
        f" from weights drawn at random, for {facts['seconds']:.0f} seconds on {facts['clips']} possible clips of Level"
        f" 2's scenes, made with other seeds (seed {SEED_OF_CLIPS}); it counts as a baseline. Its surprise is a"
        " thousand times the mean squared error of a frame."
    )
    is_trained = facts["size"] != "untrained"
    return registration.card_of(
        trained,
        what=what if is_trained else UNTRAINED,
        family="2-D convolutions",
        trained_on=f"{facts['clips']} possible clips of Level 2's scenes" if is_trained else "nothing",
        training="" if is_trained else "none",
        asked_with=f"--strategy surprise --sampler uniform-{facts['frames']}",
    )
