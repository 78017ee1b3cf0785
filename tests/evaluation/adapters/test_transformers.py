"""The adapter of local models: conversations, batches, random numbers, and every kind of faulty folder."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.registry import open_model
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.errors import ModelMisused
from evaluation.models import Model
from measures.scores.parsed_answers import CUT_OFF
from tests.evaluation.tiny_model import make_untrained, question, questions


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_untrained(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def adapter(folder):
    return TransformersModel(path=str(folder), batch_size=4)


def texts(adapter, requests):
    return [reply.text for reply in adapter.answer(requests)]


def test_the_second_turn_hears_what_the_first_reply_was(adapter):
    (reply,) = adapter.answer([Request((Turn("One"), REPLY, Turn("Two"), REPLY), max_new_tokens=6)])
    (alone,) = adapter.answer([Request((Turn("Two"), REPLY), max_new_tokens=6)])
    assert reply.turns[1] != alone.text


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_reply_does_not_hang_on_who_else_is_in_the_batch(adapter, temperature):
    how = {"temperature": temperature, "max_new_tokens": 8}
    asked = [question("red", "blue", number, **how) for number in range(4)]
    asked[2] = Request((Turn("A longer text that pads all others on the left."), REPLY), seed=9, **how)
    together = texts(adapter, asked)
    assert together == [texts(adapter, [one])[0] for one in asked]
    assert together == texts(adapter, asked[::-1])[::-1]


def test_chance_comes_from_the_seed_of_the_request_alone(adapter):
    asked = [question("red", "red", 1, temperature=1.5, max_new_tokens=12) for _ in range(2)]
    others = [Request(asked[0].turns, seed=seed, temperature=1.5, max_new_tokens=12) for seed in range(2, 6)]
    first, second, *rest = texts(adapter, [*asked, *others])
    assert first == second
    assert len({first, *rest}) > 1


def test_drawn_words_follow_the_temperature(adapter):
    from evaluation.adapters.transformers.adapter import OwnChance

    scores = torch.tensor([[0.0, 1.0, 2.0]]).repeat(4000, 1)
    chances = [torch.Generator().manual_seed(seed) for seed in range(4000)]
    drawn = OwnChance([0.5] * 4000, chances)(torch.zeros(4000, 1, dtype=torch.long), scores).argmax(1)
    shares = torch.bincount(drawn, minlength=3) / 4000
    assert np.allclose(shares, torch.softmax(scores[0] / 0.5, 0), atol=0.03)


def test_a_reply_without_an_end_is_cut_off(adapter):
    (reply,) = adapter.answer([question("red", "red", 1, max_new_tokens=1)])
    assert reply.ended == CUT_OFF


def test_only_the_conversation_that_is_too_long_fails(adapter):
    endless = Request((Turn("Why? " * 5000), REPLY), max_new_tokens=4)
    short = Request((Turn("Why?"), REPLY), max_new_tokens=4)
    replies = list(adapter.answer([short, endless, short]))
    assert "the model has room for" in replies[1].error
    assert replies[0] == replies[2]
    assert not replies[0].error


def test_the_card_names_weights_and_device(adapter, folder):
    card = adapter.description
    assert card["family"] == "LlavaOnevisionForConditionalGeneration"
    assert len(card["weights"]) == 64
    assert card["threads"] <= 2
    assert {"device", "dtype", "parameters", "batch"} <= set(card)
    assert json.dumps(card)


def test_a_relative_path_counts_from_the_state_of_the_site(settings):
    make_untrained(settings.VAR_DIR / "models" / "tiny")
    opened = open_model(Model(slug="tiny", kind="transformers", options={"path": "models/tiny"}))
    assert next(opened.answer(questions(4)[:1])).turns


SPOILS = {
    "not a model that transformers can open": lambda folder: (folder / "model.safetensors").write_bytes(b"no weights"),
    "can open": lambda folder: (folder / "config.json").write_text('{"model_type": "nothing-known"}'),
}


@pytest.mark.parametrize("said", SPOILS)
def test_a_folder_that_is_no_video_model_is_refused_in_one_sentence(tmp_path, said):
    SPOILS[said](make_untrained(tmp_path / "model"))
    with pytest.raises(ModelMisused, match=said) as refused:
        TransformersModel(path=str(tmp_path / "model"))
    assert "\n" not in str(refused.value)


def test_nothing_heavy_is_imported_when_the_site_starts():
    found = (
        "import django, sys; django.setup(); import evaluation.tasks, evaluation.adapters.registry; "
        "print({'torch', 'transformers'} & set(sys.modules))"
    )
    how = {"capture_output": True, "text": True, "check": True}
    env = {"DJANGO_SETTINGS_MODULE": "benchsite.settings", "PATH": ""}
    assert subprocess.run([sys.executable, "-c", found], env=env, **how).stdout.strip().endswith("set()")
