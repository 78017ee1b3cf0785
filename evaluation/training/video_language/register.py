"""Registers a trained folder of weights as a model of the site; its card describes the model and its limits."""

from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.models import Model
from evaluation.runs.builtin_models import KNOWS_THE_SCENES
from evaluation.runs.learning_curves import CURVE
from evaluation.training.core.checkpoints import Trained
from evaluation.training.core.trainer import title_of
from evaluation.training.video_language.train import find_baseline

WHAT = (
    "A very small video-language model that was trained here, from weights drawn at random, for {seconds:.0f} seconds"
    " on {clips} clips made with other seeds (seed {seed}), and only on the Level-1 questions about {tests}. It shows"
    " that the site asks real models through the real path. It is no model of the world: on everything else, and on"
    " all of Level 2, its answers are chance."
)


def register(name: str, trained: Trained, slug: str = "") -> Model:
    """Create or update this baseline's model; runs with older weights keep their revision."""
    baseline, _ = find_baseline(name, trained.facts["size"])
    model, _ = Model.objects.update_or_create(
        slug=slug or baseline.slug,
        defaults={
            "name": title_of(baseline.title, trained.facts["seed"]),
            "kind": "transformers",
            "options": {"path": movable(trained.path)},
            "revision": trained.facts["weights"],
            "made_here": True,
            "card": card_of(trained),
        },
    )
    return model


def movable(path: Path) -> str:
    """The path relative to the site's state if it lies inside, so that the state can be moved as a whole."""
    try:
        return str(path.resolve().relative_to(Path(settings.VAR_DIR).resolve()))
    except ValueError:
        return str(path.resolve())


def card_of(trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    tests = enumeration(facts["tests"])
    return {
        "what": WHAT.format(tests=tests, **{key: facts[key] for key in ("seconds", "clips", "seed")}),
        "organisation": "this site",
        "family": "LlavaOnevision",
        "parameters": f"{facts['parameters'] / 1e6:.2f}M",
        "trained_on": f"{facts['clips']} clips of {tests}, made for training",
        "training": f"{facts['steps']} steps in {facts['seconds']:.0f} seconds on {facts['device']}",
        "size": facts["size"],
        "seed": facts["seed"],
        **KNOWS_THE_SCENES,
        "curve": f"{movable(trained.path)}/{CURVE}",
    }


def enumeration(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
