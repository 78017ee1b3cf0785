"""What this site writes on its own models' cards."""

from functools import partial
from pathlib import Path

import pytest

from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from evaluation.models import Model
from evaluation.runs.pages.rows import model_facts
from extensions.training import frequencies
from extensions.training.core.checkpoints import Trained
from extensions.training.craft import recipes as of_craft
from extensions.training.craft import trainer as craft
from extensions.training.pacs import recipes as of_pacs
from extensions.training.pacs import trainer as pacs
from extensions.training.plausibility import trainer as plausibility
from extensions.training.surprise import trainer as surprise
from extensions.training.video_language import trainer as video_language
from tests.factories import make_pack

pytestmark = pytest.mark.django_db

FACTS = {"seconds": 61.4, "clips": 480, "seed": 0, "parameters": 123_456, "steps": 900, "device": "NVIDIA H100"}
HALF = {"difference": 0.031, "low": 0.01, "high": 0.052, "n": 812, "right": 0.5, "other": 0.469}


def trained(**facts) -> Trained:
    return Trained(Path("here"), FACTS | {"size": "small"} | facts)


def of_settings(name: str) -> dict:
    """The card of one of CRAFT's networks that looks at its videos in one setting and not in the other."""
    settings = {}
    for setting, low in (("easy", 0.01), ("hard", -0.01)):
        told = {"questions": {"train": 800}, "best_step": 40, "best": 0.412}
        settings[setting] = told | {"looking": [{"name": "All questions"} | HALF | {"low": low}]} | FACTS
    facts = trained(settings=settings, pack="made", encoder_file="resnet.pth", name=name)
    return craft.card_of(of_craft.BASELINES[name].title, facts, of_craft.BASELINES[name].sizes["small"])


def of_pairs(name: str, source: str) -> dict:
    facts = {"benchmark": "tapped", "pack": "made", "questions": 300, "checked_on": 40}
    backbones = {"image": {"source": source, "parameters": 11_000_000}}
    return pacs.card_of(of_pacs.BASELINES[name], trained(backbones=backbones, **facts))


def of_rule(rule: str) -> dict:
    """The card of one of CRAFT's heuristics, as `fit` writes it."""
    pack = make_pack(benchmark="craft", name="made")
    counted = {"easy-train": [["", "", "", "red", 7]], "hard-train": [["", "", "", "red", 5]]}
    return next(model for model in frequencies._registered(pack, counted) if model.slug == f"craft-{rule}").card


CARDS = {
    "video-language": lambda: video_language.card_of(trained(tests=["Shape", "Color", "Movement"])),
    "plausibility": lambda: plausibility.card_of(trained(tests=[one.name for one in LEVEL_2], frames=16)),
    "half of the tests": lambda: plausibility.card_of(trained(tests=["Inertia", "Gravity"], frames=16)),
    "predictor": lambda: surprise.card_of(trained(context=3, frames=16)),
    "untrained": lambda: surprise.card_of(trained(size="untrained", context=3, frames=16)),
    "lstm": lambda: of_settings("lstm"),
    "lstm-cnn-v": lambda: of_settings("lstm-cnn-v"),
    "late-fusion": lambda: of_pairs("late-fusion", ""),
    "clip": lambda: of_pairs("clip", "openai/clip"),
    **{f"rule {rule.slug}": partial(of_rule, rule.slug) for rule in frequencies.RULES},
}


@pytest.mark.parametrize("name", CARDS)
def test_every_text_of_a_card_of_this_site_is_whole(name):
    texts = [text for text in CARDS[name]().values() if isinstance(text, str)]
    assert not [text for text in texts if "{" in text or text != text.strip()]
    assert texts[0].endswith(".")


def test_a_models_facts_have_their_order_and_names_without_signs():
    card = {"what": "Guesses.", "x_y": "z", "trained_on": "this site", "family": "heuristic"}
    facts = [("family", "heuristic"), ("trained on", "this site"), ("x y", "z")]
    assert model_facts(Model(kind="openai", card=card)) == facts
