"""What this site writes on its own models' cards is told in the reader's language; what others write stays."""

import re
from functools import partial
from pathlib import Path

import pytest
from django.utils import translation

from benchmarks.definitions.grasp_tests import LEVEL_2
from evaluation.models import Model
from evaluation.runs.builtin_models import ensure_heuristics
from evaluation.runs.card_texts import CONTROL, card_of, translated
from evaluation.runs.pages import model_facts
from evaluation.training import frequencies
from evaluation.training.core.checkpoints import Trained
from evaluation.training.craft import recipes as of_craft
from evaluation.training.craft import trainer as craft
from evaluation.training.pacs import recipes as of_pacs
from evaluation.training.pacs import trainer as pacs
from evaluation.training.plausibility import trainer as plausibility
from evaluation.training.surprise import trainer as surprise
from evaluation.training.video_language import register as video_language
from tests.factories import make_pack

pytestmark = pytest.mark.django_db

NAMES = re.compile(  # which stay: of models, tests, splits, packs, devices, files, and a command's options
    r"(?<![A-Za-z])(?:LSTM(?:-CNN-V)?|CNN|ResNet-18|R3D-18|LlavaOnevision|CRAFT|PACS|Tapped|CLIP|Shape|Color|Movement"
    r"|Inertia|Gravity|late fusion|(?:easy|hard)(?:-train|-validation)?|val|made|NVIDIA H100|resnet\.pth|openai/clip"
    r"|image|surprise)(?![A-Za-z])|--\w+ (?:uniform-)?"
)
ENGLISH = re.compile(r"\b(the|of|and|with|that|it|is|on|from|this|by|for|were|which|says|draws|questions)\b")
FACTS = {"seconds": 61.4, "clips": 480, "seed": 0, "parameters": 123_456, "steps": 900, "device": "NVIDIA H100"}
HALF = {"difference": 0.031, "low": 0.01, "high": 0.052, "n": 812, "right": 0.5, "other": 0.469}


def trained(**facts) -> Trained:
    return Trained(Path("here"), FACTS | {"size": "small"} | facts)


def of_settings(name: str) -> dict:
    """The card of one of CRAFT's networks that looks at its videos in one setting and not in the other."""
    seen = {"easy": HALF | {"low": 0.01}, "hard": HALF | {"low": -0.01}}
    settings = {
        setting: {
            "questions": {"train": 800},
            "best_step": 40,
            "best": 0.412,
            "looking": [{"name": "All questions"} | row],
        }
        | FACTS
        for setting, row in seen.items()
    }
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


def texts(card: dict) -> dict[str, str]:
    return {name: text for name, text in card.items() if isinstance(text, str) and name not in ("curve", "size")}


@pytest.mark.parametrize("name", CARDS)
def test_every_text_of_a_card_of_this_site_is_told_in_both_languages(name):
    card = CARDS[name]()
    assert {field: translated(text) for field, text in texts(card).items()} == texts(card)  # in English, as stored
    for language in ("de", "ar"):
        with translation.override(language):
            shown = texts(card_of(Model(made_here=True, card=card)))
        for field, text in shown.items():
            rest = NAMES.sub("", text)
            assert not ENGLISH.search(rest), (language, field, text)
            assert language == "de" or not re.search(r"[A-Za-z]{3,}", rest), (field, text)
        assert shown["what"] != card["what"]
        digits = [sorted(re.findall(r"\d[\d.]*\d|\d", one["what"])) for one in (shown, card)]
        assert digits[0] == digits[1]


def test_guessers_and_controls_are_told_too():
    for model in (*ensure_heuristics(), Model(kind="uploaded", card={"what": CONTROL})):
        with translation.override("de"):
            assert card_of(model)["what"] != model.card["what"]
        with translation.override("en"):
            assert card_of(model) == model.card


def test_what_others_write_stays_as_it_is_but_for_their_choices():
    card = {"what": "Says yes to every question, without looking.", "weights": "open", "family": "heuristic", "size": 3}
    with translation.override("de"):
        assert card_of(Model(kind="openai", card=card)) == card | {"weights": "offen"}
        assert model_facts(Model(kind="openai", card={"trained_on": "this site", "x y": "z"})) == [
            ("trainiert auf", "this site"),
            ("x y", "z"),
        ]


def test_the_page_of_a_model_tells_its_card_in_the_readers_language(visitor):
    random = ensure_heuristics()[2]
    Model.objects.create(slug="theirs", name="Theirs", kind="openai", card={"what": "It says that it is this site."})
    page = visitor.get(random.get_absolute_url(), headers={"accept-language": "de"}).content.decode()
    assert "Zieht eine der möglichen Antworten jeder Frage" in page
    assert "<dt>Familie</dt>" in page
    assert "Heuristik" in page
    listed = visitor.get("/models/", headers={"accept-language": "ar"}).content.decode()
    assert "يسحب واحدة من الإجابات الممكنة لكل سؤال دون أن ينظر." in listed
    assert "It says that it is this site." in listed
    assert "Draws one of the possible answers" in visitor.get("/models/").content.decode()
