"""Registers a trained folder of weights as a model of the site, and what all cards of such models say."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.models import Model
from extensions.training.core.checkpoints import Trained
from extensions.training.progress import CURVE

HERE = "this site"


def enumeration(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[-1]


def register(trained: Trained, slug: str, *, title: str, options: Mapping[str, Any] = {}, **columns: Any) -> Model:
    """Create or update the site's model; runs with older weights keep their revision.

    `options` are those beside the path, `columns` its kind, its card, and a role that is not a model's.
    """
    seed = trained.facts["seed"]
    own = {
        "name": f"{title}, seed {seed}" if seed else title,
        "options": {"path": movable(trained.path), **options},
        "revision": trained.facts["weights"],
        "made_here": True,
    }
    return Model.objects.update_or_create(slug=slug, defaults=own | columns)[0]


def card_of(
    trained: Trained, *, what: str, family: str, trained_on: str, weights: str = "", training: str = "", **more: Any
) -> dict[str, Any]:
    """What the cards of all these models say; `more` follows the training, or replaces an entry."""
    facts = trained.facts
    return {
        "what": what,
        "organisation": HERE,
        "family": family,
        "parameters": millions(facts["parameters"]),
        **({"weights": weights} if weights else {}),
        "trained_on": trained_on,
        "training": training or training_of(facts),
        **more,
        "size": facts["size"],
        "seed": facts["seed"],
        "curve": f"{movable(trained.path)}/{CURVE}",
    }


def training_of(facts: Mapping[str, Any]) -> str:
    """Its steps, its seconds and its device in words."""
    return f"{facts['steps']} steps in {facts['seconds']:.0f} seconds on {facts['device']}"


def millions(count: int) -> str:
    return f"{count / 1e6:.2f}M"


def movable(path: Path) -> str:
    """The path relative to the site's state if it lies inside, so that the state can be moved as a whole."""
    try:
        return str(path.resolve().relative_to(Path(settings.VAR_DIR).resolve()))
    except ValueError:
        return str(path.resolve())
