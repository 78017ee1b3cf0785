"""Trains, saves and registers the small audiovisual model, with objects that are in no pack."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.models import Model, ModelRole
from extensions.training.core import registration
from extensions.training.core.checkpoints import Facts, Trained
from extensions.training.core.registration import register
from extensions.training.core.trainer import Bar, OwnExamplesTrainer, ProgressReporter, TrainingOrder

SEED_OF_OBJECTS = 900_000  # far from the seeds of packs, so that no object of a leaderboard is in the training
NAME, SLUG, TITLE = "tapped-small", "fusion-{size}-here", "Small late fusion, trained here"


@dataclass(frozen=True)
class FusionRecipe:
    """Everything that determines a training except the seed."""

    channels: tuple[str, ...]
    steps: int
    groups: int = 160  # of four objects
    width: int = 48
    groups_a_step: int = 12
    rate: float = 2e-3
    decay: float = 1e-3


BOTH = ("sight", "hearing")
SIZES = {"small": FusionRecipe(BOTH, steps=260), "tiny": FusionRecipe(BOTH, steps=160, groups=80)}


class FusionTrainer(OwnExamplesTrainer[FusionRecipe]):
    """`train_baseline tapped-small`."""

    examples, sizes, source = "objects", SIZES, {"objects": SEED_OF_OBJECTS}

    def slug(self, order: TrainingOrder) -> str:
        return SLUG.format(size=order.size) + order.suffix

    def prepared(self, order: TrainingOrder, watch: ProgressReporter) -> tuple[Any, Callable[[Any, Path], None], Facts]:
        from extensions.training.fusion.network import save
        from extensions.training.fusion.objective import Fusing, fusion_examples

        recipe = self.recipe(order)
        examples = fusion_examples(_recorded(recipe.groups, watch.bar("Objects")), SEED_OF_OBJECTS)
        objective = Fusing(examples, recipe, order.seed)
        count = len(examples.sounds)
        return objective, save, {"objects": count, "clips": count}

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
    what = (
        "A very small late-fusion model that sees and hears. It was trained here, from weights drawn at random, on the"
        f" sounds and a few frames of {objects} made objects that no pack holds (seed {seed}): with both, and now and"
        " then with one alone. It knows the questions of Tapped and their objects, and nothing else of the world."
    )
    trained_on = f"{objects} objects made for training"
    return registration.card_of(trained, what=what, family="late fusion", trained_on=trained_on)
