"""The small audiovisual model as a model of the site: trained on objects that no pack holds, saved, registered."""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluation.models import Model
from evaluation.training.fusion.recipes import SEED_OF_OBJECTS, FusionRecipe
from evaluation.training.learning import Trained, TrainingMisused, trained_at
from evaluation.training.registering import movable

NAME, SLUG, TITLE, BENCHMARK = "tapped-small", "fusion-small-here", "Small late fusion, trained here", "tapped"
SIZES = {"small": FusionRecipe(("sight", "hearing"), steps=260)}
WHAT = (
    "A very small late-fusion model that sees and hears. It was trained here, from weights drawn at random, on the"
    " sounds and a few frames of {objects} made objects that no pack holds (seed {seed}): with both, and now and then"
    " with one alone. It knows the questions of Tapped and their objects, and nothing else of the world."
)

Bar = Callable[[int, int], None]


def trained(*, seed: int, size: str, out: Path, recordings: Bar | None = None, steps: Bar | None = None) -> Trained:
    """Record the objects, train, and put the weights at `out` in one move."""
    import torch

    from evaluation.adapters import THREADS
    from evaluation.training.fusion.course import trained_on
    from evaluation.training.fusion.pairs import lessons_of
    from evaluation.training.fusion.saving import save
    from scenes.tapped.recording import recordings_of

    recipe = recipe_of(size)
    torch.set_num_threads(THREADS)
    groups = []
    for group in recordings_of(SEED_OF_OBJECTS, range(recipe.groups)):
        groups.append(group)
        if recordings:
            recordings(len(groups), recipe.groups)
    lessons, began = lessons_of(groups, SEED_OF_OBJECTS), time.monotonic()
    network = trained_on(lessons, recipe, seed, lambda at, of, loss: steps(at, of) if steps else None)
    parameters = sum(weight.numel() for weight in network.parameters())
    facts: dict[str, Any] = {
        "name": NAME, "size": size, "seed": seed, "key": key_of(size, seed), "objects": len(lessons.sounds),
        "clips": len(lessons.sounds), "steps": recipe.steps, "seconds": round(time.monotonic() - began, 1),
        "device": "cpu", "parameters": parameters, "recipe": asdict(recipe),
    }  # fmt: skip
    return save(network, facts, out)


def recipe_of(size: str) -> FusionRecipe:
    if size not in SIZES:
        raise TrainingMisused(f"{NAME} has no size {size!r}; there are {', '.join(SIZES)}")
    return SIZES[size]


def standing(*, seed: int, size: str, out: Path) -> Trained | None:
    """What stands at `out`, if it was trained in just this way."""
    try:
        found = trained_at(out)
    except (OSError, ValueError):
        return None
    return found if found.facts.get("key") == key_of(size, seed) else None


def key_of(size: str, seed: int) -> str:
    """SHA-256 over everything that the weights depend on, the machine aside."""
    facts = {"recipe": asdict(recipe_of(size)), "seed": seed, "objects": SEED_OF_OBJECTS}
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def register(found: Trained) -> Model:
    """Make or renew the model of the site; runs of older weights keep their revision."""
    facts = found.facts
    model, _ = Model.objects.update_or_create(
        slug=SLUG,
        defaults={
            "name": TITLE,
            "kind": "fusion",
            "options": {"path": movable(found.path), "hears": True},
            "revision": facts["weights"],
            "made_here": True,
            "card": {
                "what": WHAT.format(objects=facts["objects"], seed=facts["seed"]),
                "organisation": "this site",
                "family": "late fusion",
                "parameters": f"{facts['parameters'] / 1e6:.2f}M",
                "trained_on": f"{facts['objects']} objects made for training",
                "training": f"{facts['steps']} steps in {facts['seconds']:.0f} seconds on {facts['device']}",
                "size": facts["size"],
                "seed": facts["seed"],
            },
        },
    )
    return model
