"""Registers a trained folder of weights as a model of the site; its card describes the model and its limits."""

from typing import Any

from evaluation.models import Model, ModelRole
from extensions.training.core.card_texts import HERE, ON_CLIPS, TRAINED, VIDEO_LANGUAGE, enumeration
from extensions.training.core.checkpoints import Trained
from extensions.training.core.registration import movable
from extensions.training.core.trainer import title_of
from extensions.training.progress.learning_curves import CURVE
from extensions.training.video_language.train import find_baseline


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
