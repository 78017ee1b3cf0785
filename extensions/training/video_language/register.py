"""Registers a trained folder of weights as a model of the site; its card describes the model and its limits."""

from typing import Any

from evaluation.models import Model, ModelRole
from extensions.training.core import registration
from extensions.training.core.card_texts import ON_CLIPS, VIDEO_LANGUAGE, enumeration
from extensions.training.core.checkpoints import Trained
from extensions.training.video_language.train import find_baseline


def register(name: str, trained: Trained, slug: str = "") -> Model:
    """Create or update this baseline's model; runs with older weights keep their revision."""
    baseline, _ = find_baseline(name, trained.facts["size"])
    title, role = baseline.title, ModelRole.TRAINED
    return registration.register(
        trained, slug or baseline.slug, title=title, kind="transformers", card=card_of(trained), role=role
    )


def card_of(trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    tests = enumeration(facts["tests"])
    return registration.card_of(
        trained,
        what=VIDEO_LANGUAGE.format(tests=tests, **{key: facts[key] for key in ("seconds", "clips", "seed")}),
        family="LlavaOnevision",
        trained_on=ON_CLIPS.format(clips=facts["clips"], tests=tests),
    )
