"""Trains, saves and registers the small audiovisual model, with objects that are in no pack."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.models import Model, ModelRole
from extensions.training.core import checkpoints, registration
from extensions.training.core.card_texts import FUSION, ON_OBJECTS
from extensions.training.core.checkpoints import Trained, learnt
from extensions.training.core.registration import register
from extensions.training.core.trainer import Bar, OwnExamplesTrainer, ProgressReporter, TrainingOrder
from extensions.training.fusion.recipes import SEED_OF_OBJECTS, FusionRecipe

NAME, SLUG, TITLE = "tapped-small", "fusion-{size}-here", "Small late fusion, trained here"
BOTH = ("sight", "hearing")
SIZES = {"small": FusionRecipe(BOTH, steps=260), "tiny": FusionRecipe(BOTH, steps=160, groups=80)}


class FusionTrainer(OwnExamplesTrainer[FusionRecipe]):
    """`train_baseline tapped-small`."""

    examples, sizes = "objects", SIZES

    def slug(self, order: TrainingOrder) -> str:
        return SLUG.format(size=order.size) + order.suffix

    def key(self, order: TrainingOrder) -> str:
        recipe = asdict(self.recipe(order))
        return checkpoints.key_of({"recipe": recipe, "seed": order.seed, "objects": SEED_OF_OBJECTS})

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        """Record the objects, train, and put the weights at `out` in one move."""
        import torch

        from evaluation.adapters import THREADS
        from extensions.training.fusion.examples import fusion_examples
        from extensions.training.fusion.network import save
        from extensions.training.fusion.objective import Fusing

        recipe = self.recipe(order)
        torch.set_num_threads(THREADS)
        examples = fusion_examples(_recorded(recipe.groups, watch.bar("Objects")), SEED_OF_OBJECTS)
        objective = Fusing(examples, recipe, order.seed)
        facts: dict[str, Any] = {
            "name": NAME,
            "size": order.size,
            "seed": order.seed,
            "key": self.key(order),
            "objects": len(examples.sounds),
            "clips": len(examples.sounds),
            "recipe": asdict(recipe),
        }
        steps = watch.steps("Training")
        return learnt(objective, out, write=lambda folder: save(objective.network, folder), facts=facts, progress=steps)

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        title, options = TITLE if order.size == "small" else f"{TITLE} ({order.size})", {"hears": True}
        slug, kind, card = self.slug(order), "fusion", card_of(trained)
        return register(trained, slug, title=title, kind=kind, card=card, options=options, role=ModelRole.TRAINED)


def _recorded(groups: int, bar: Bar | None) -> list[Any]:
    from benchmarks.generation.set_makers import wait_for_orders
    from scenes.tapped.recording import recordings_of

    recorded = []
    for group in recordings_of(SEED_OF_OBJECTS, range(groups), start=wait_for_orders):
        recorded.append(group)
        if bar:
            bar(len(recorded), groups)
    return recorded


def card_of(trained: Trained) -> dict[str, Any]:
    objects, seed = trained.facts["objects"], trained.facts["seed"]
    return registration.card_of(
        trained,
        what=FUSION.format(objects=objects, seed=seed),
        family="late fusion",
        trained_on=ON_OBJECTS.format(objects=objects),
    )
