"""Trains, saves and registers the small audiovisual model, with objects that are in no pack."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.models import Model, ModelRole
from extensions.training.core import checkpoints
from extensions.training.core.card_texts import FUSION, HERE, ON_OBJECTS, TRAINED
from extensions.training.core.checkpoints import Trained, TrainingMisused, learnt
from extensions.training.core.registration import movable
from extensions.training.core.trainer import Bar, ProgressReporter, TrainingOrder, title_of
from extensions.training.fusion.recipes import SEED_OF_OBJECTS, FusionRecipe
from extensions.training.progress.learning_curves import CURVE

NAME, SLUG, TITLE = "tapped-small", "fusion-{size}-here", "Small late fusion, trained here"
BOTH = ("sight", "hearing")
SIZES = {"small": FusionRecipe(BOTH, steps=260), "tiny": FusionRecipe(BOTH, steps=160, groups=80)}


class FusionTrainer:
    """`train_baseline tapped-small`."""

    makes_clips = True

    def check(self, order: TrainingOrder) -> None:
        recipe_of(order.size)
        if order.pack:
            raise TrainingMisused(f"{NAME} makes its own objects: leave --pack out")

    def slug(self, order: TrainingOrder) -> str:
        return SLUG.format(size=order.size) + order.suffix

    def key(self, order: TrainingOrder) -> str:
        return key_of(order.size, order.seed)

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        """Record the objects, train, and put the weights at `out` in one move."""
        import torch

        from evaluation.adapters import THREADS
        from extensions.training.fusion.checkpoints import save
        from extensions.training.fusion.examples import fusion_examples
        from extensions.training.fusion.objective import Fusing

        recipe = recipe_of(order.size)
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
        return register(trained, self.slug(order))


def _recorded(groups: int, bar: Bar | None) -> list[Any]:
    from benchmarks.generation.clip_worker import wait_for_orders
    from scenes.tapped.recording import recordings_of

    recorded = []
    for group in recordings_of(SEED_OF_OBJECTS, range(groups), start=wait_for_orders):
        recorded.append(group)
        if bar:
            bar(len(recorded), groups)
    return recorded


def recipe_of(size: str) -> FusionRecipe:
    if size not in SIZES:
        raise TrainingMisused(f"{NAME} has no size {size!r}; there are {', '.join(SIZES)}")
    return SIZES[size]


def key_of(size: str, seed: int) -> str:
    """SHA-256 over everything that determines the weights, except the machine."""
    return checkpoints.key_of({"recipe": asdict(recipe_of(size)), "seed": seed, "objects": SEED_OF_OBJECTS})


def register(found: Trained, slug: str) -> Model:
    """Create or update the site's model; runs with older weights keep their revision."""
    facts = found.facts
    model, _ = Model.objects.update_or_create(
        slug=slug,
        defaults={
            "name": title_of(TITLE if facts["size"] == "small" else f"{TITLE} ({facts['size']})", facts["seed"]),
            "kind": "fusion",
            "role": ModelRole.TRAINED,
            "options": {"path": movable(found.path), "hears": True},
            "revision": facts["weights"],
            "made_here": True,
            "card": {
                "what": FUSION.format(objects=facts["objects"], seed=facts["seed"]),
                "organisation": HERE,
                "family": "late fusion",
                "parameters": f"{facts['parameters'] / 1e6:.2f}M",
                "trained_on": ON_OBJECTS.format(objects=facts["objects"]),
                "training": TRAINED.format(**{key: facts[key] for key in ("steps", "seconds", "device")}),
                "size": facts["size"],
                "seed": facts["seed"],
                "curve": f"{movable(found.path)}/{CURVE}",
            },
        },
    )
    return model
