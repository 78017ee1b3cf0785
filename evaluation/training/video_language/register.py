"""Registers a trained folder of weights as a model of the site; its card describes the model and its limits."""

from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.models import Model, ModelRole
from evaluation.runs.card_texts import ENUMERATED, HERE, ON_CLIPS, TRAINED, VIDEO_LANGUAGE
from evaluation.runs.learning_curves import CURVE
from evaluation.training.core.checkpoints import Trained
from evaluation.training.core.trainer import title_of
from evaluation.training.video_language.train import find_baseline


def register(name: str, trained: Trained, slug: str = "") -> Model:
    """Create or update this baseline's model; runs with older weights keep their revision."""
    baseline, _ = find_baseline(name, trained.facts["size"])
    model, _ = Model.objects.update_or_create(
        slug=slug or baseline.slug,
        defaults={
            "name": title_of(baseline.title, trained.facts["seed"]),
            "kind": "transformers",
            "role": ModelRole.TRAINED,
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
        "what": VIDEO_LANGUAGE.format(tests=tests, **{key: facts[key] for key in ("seconds", "clips", "seed")}),
        "organisation": HERE,
        "family": "LlavaOnevision",
        "parameters": f"{facts['parameters'] / 1e6:.2f}M",
        "trained_on": ON_CLIPS.format(clips=facts["clips"], tests=tests),
        "training": TRAINED.format(**{key: facts[key] for key in ("steps", "seconds", "device")}),
        "size": facts["size"],
        "seed": facts["seed"],
        "curve": f"{movable(trained.path)}/{CURVE}",
    }


def enumeration(names: list[str]) -> str:
    return ENUMERATED.format(first=", ".join(names[:-1]), second=names[-1]) if len(names) > 1 else names[-1]
