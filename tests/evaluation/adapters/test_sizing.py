"""Options for large models: each reaches the library and the card; an impossible one is refused by name."""

from importlib.util import find_spec

import pytest
import torch

from evaluation.adapters.transformers import sizing
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.adapters.transformers.sizing import Sizing
from evaluation.errors import ModelMisused
from tests.evaluation import tiny_families
from tests.evaluation.adapters.test_families import IN_EVERY_WAY, pictures_in
from tests.evaluation.adapters.test_families import clip as clip_of
from tests.evaluation.saved_families import saved_once

FINE = {"processor_options": {"size": {"shortest_edge": 224 * 224 * 8, "longest_edge": 448 * 448 * 8}}}


@pytest.fixture(scope="module")
def folder():
    return str(saved_once(tiny_families.BUILDS["qwen2_5_vl"]))


def card(folder, **options):
    return dict(TransformersModel(path=folder, **options).description)


def test_each_option_moves_the_card_and_equal_ones_do_not(folder):
    plain = card(folder)
    assert plain == card(folder)
    assert plain["attention"] == "sdpa"
    for options in ({"attention": "eager"}, {"device_map": "auto"}, FINE):
        other = card(folder, **options)
        assert other != plain
        assert other == card(folder, **options)
    assert card(folder, **FINE)["processor"] != plain["processor"]


def test_a_picture_budget_reaches_the_pictures(folder):
    whole, fine = (TransformersModel(path=folder, **options) for options in ({}, FINE))
    frames = clip_of(8)
    assert len(pictures_in(fine, frames)) > len(pictures_in(whole, frames))
    assert next(fine.answer([IN_EVERY_WAY["one frame"]])).turns


@pytest.mark.parametrize("options", [{"attention": "eager"}, {"device_map": "auto"}, {"device_map": {"": "cpu"}}])
def test_a_reply_is_the_same_however_the_model_is_placed(folder, options):
    replies = [
        [reply.turns for reply in TransformersModel(path=folder, **given).answer(list(IN_EVERY_WAY.values()))]
        for given in ({}, options)
    ]
    assert replies[0] == replies[1]


@pytest.mark.skipif(
    find_spec("bitsandbytes") is None, reason="SKIPPED LOUDLY: no weights in 8 or 4 bits, bitsandbytes is missing"
)
@pytest.mark.parametrize("bits", ["8bit", "4bit"])
def test_weights_in_fewer_bits_answer(folder, bits):
    adapter = TransformersModel(path=folder, quantise=bits)
    kinds = {type(layer).__name__ for layer in adapter.model.modules()}
    assert kinds & {"Linear8bitLt", "Linear4bit"}
    assert adapter.description["quantised"] == bits
    if bits == "4bit":
        return  # its kernel needs rows of at least 64 numbers, the tiny build has 32
    assert next(adapter.answer([IN_EVERY_WAY["eight frames"]])).turns


def test_what_the_library_is_told(monkeypatch):
    monkeypatch.setattr(sizing, "find_spec", lambda package: package)
    cpu = torch.device("cpu")
    assert Sizing().loading(torch.float32, cpu) == {"dtype": torch.float32}
    placed = Sizing(device_map="balanced", attention="flash_attention_2").loading(torch.bfloat16, cpu)
    assert (placed["device_map"], placed["attn_implementation"]) == ("balanced", "flash_attention_2")
    four = Sizing(quantise="4bit").loading(torch.bfloat16, cpu)
    assert four["device_map"] == {"": cpu}
    assert four["quantization_config"].bnb_4bit_compute_dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"quantise": "3bit"}, "option quantise '3bit': one of 8bit, 4bit"),
        ({"attention": "best"}, "option attention 'best': one of eager, sdpa"),
        ({"device_map": "everywhere"}, "option device_map 'everywhere': one of auto"),
        ({"processor_options": 3}, "option processor_options: an object"),
        ({"processor_options": {"colour": 1}}, "processor option 'colour': the model's processor has"),
        ({"price_in": 1}, "there is no option 'price_in'; there are path, batch_size"),
    ],
)
def test_an_option_that_cannot_be_is_one_sentence(folder, options, said):
    def opened():
        TransformersModel.check_options({"path": folder, **options})
        TransformersModel(path=folder, **options)

    with pytest.raises(ModelMisused, match=said) as refused:
        opened()
    assert "\n" not in str(refused.value)


def test_a_package_that_is_missing_is_named(folder, monkeypatch):
    monkeypatch.setattr(sizing, "find_spec", lambda package: None)
    with pytest.raises(ModelMisused, match="option quantise '8bit' needs the package"):
        TransformersModel(path=folder, quantise="8bit")
