"""PACS' trained baselines as in the paper: layers, parameter counts, and losses computed by hand."""

import math
from typing import Any

import pytest
import torch
import transformers as hf
from torch import nn

from extensions.training.pacs.backbones import KINDS, Backbone, small, small_tokenizer
from extensions.training.pacs.network import CROPS, Comparing, Head, LateFusion, QuestionTooLong, made, places_of
from extensions.training.pacs.recipes import BASELINES, CLAP, CLIP, IMAGE, QUESTION, SOUND, VIDEO, name_of
from tests.extensions.training.pacs_objects import RINGS, SHINES

# Vectors of the published backbones; TDN's, which the paper used for video, had 2,048 numbers.
WIDTHS = {IMAGE: 768, SOUND: 768, VIDEO: 768, QUESTION: 1024}
V3_LARGE: dict[str, Any] = {"hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 24}
V3_LARGE |= {"num_attention_heads": 16, "vocab_size": 128_100, "type_vocab_size": 0, "position_buckets": 256}
V3_LARGE |= {"relative_attention": True, "position_biased_input": False, "pos_att_type": ["p2c", "c2p"]}
V3_LARGE |= {"norm_rel_ebd": "layer_norm", "share_att_key": True, "max_relative_positions": -1}
# The shapes of the names in recipes.py. VideoMAE has two frames here: time positions are no parameters.
FULL = {
    IMAGE: hf.ViTConfig,
    SOUND: hf.ASTConfig,
    VIDEO: lambda: hf.VideoMAEConfig(num_frames=2),
    QUESTION: lambda: hf.DebertaV2Config(**V3_LARGE),
    CLIP: lambda: hf.CLIPConfig(vision_config={"patch_size": 16}),
    CLAP: hf.ClapAudioConfig,
}


def count(module) -> int:
    return sum(weight.numel() for weight in module.parameters())


@pytest.fixture(scope="module")
def drawn():
    """Each baseline in its small size."""
    found = {}
    for name, baseline in BASELINES.items():
        recipe, places = baseline.sizes["small"], places_of(baseline, None, is_random=True)
        shape = {"width": recipe.width, "dropout": recipe.dropout}
        found[name] = made(baseline, places, (RINGS, SHINES), seed=0, **shape)
    return found


# --- how many parameters ---


def test_the_published_backbones_have_so_many_parameters():
    published = {IMAGE: 86_389_248, SOUND: 86_187_264, VIDEO: 86_225_664}
    published |= {QUESTION: 434_012_160, CLIP: 149_620_737, CLAP: 28_190_872}
    with torch.device("meta"):
        assert {part: count(KINDS[part].model(FULL[part]())) for part in published} == published


def test_a_fusion_of_full_size_trains_so_many():
    """By hand: batch norms; the block of the channels with its layer norm; the block with the question; the answer."""
    channels = {number: number * 768 * 768 + 768 + 1536 for number in (2, 3)}
    asked, answer = 1792 * 768 + 768 + 1536, 1536 + 1
    for parts, by_hand in (
        ((QUESTION, IMAGE, SOUND, VIDEO), 2 * (3 * 768 + 1024) + channels[3] + asked + answer),
        ((QUESTION, IMAGE, VIDEO), 2 * (2 * 768 + 1024) + channels[2] + asked + answer),
        ((IMAGE, SOUND, VIDEO), 2 * 3 * 768 + channels[3] + answer),
        ((QUESTION, SOUND), 2 * (768 + 1024) + asked + answer),
    ):
        assert count(Head(parts, WIDTHS, 768, 0.2)) == by_hand


def test_of_pretrained_clip_the_projections_alone_are_trained():
    with torch.device("meta"):
        clip = Backbone(CLIP, KINDS[CLIP].model(FULL[CLIP]()), None, "somewhere")
        clap = Backbone(CLAP, KINDS[CLAP].model(FULL[CLAP]()), None, "somewhere")
    words = small_tokenizer([RINGS])
    tiny = {part: small(part, words)[1] for part in (CLIP, CLAP)}
    clip.reader, clap.reader = tiny[CLIP], tiny[CLAP]
    assert count(Comparing({CLIP: clip})) == 512 * 512
    assert count(Comparing({CLIP: clip, CLAP: clap})) == 512 * 512 + (1024 * 512 + 512)


def test_small_networks_have_so_many_parameters(drawn):
    fusions = {"fusion-iav": 360_929, "fusion-qi": 153_249, "fusion-qv": 230_625, "fusion-qa": 154_081}
    others = {"late-fusion": 457_922, "clip": 131_073, "audioclip": 282_829}
    assert {name: count(network) for name, network in drawn.items()} == fusions | others


# --- what the heads are made of ---


def test_what_a_bias_test_is_not_given_cannot_change_its_answer(drawn):
    """I+A+V has no question; Q+A has no picture."""
    network = drawn["fusion-iav"].eval()
    objects = {part: torch.randn(2, network.backbones[part].width) for part in (IMAGE, SOUND, VIDEO)}
    ends = torch.tensor([0]), torch.tensor([1])
    head = name_of((IMAGE, SOUND, VIDEO))
    one, other = (network.margins(head, objects, [text], *ends) for text in (RINGS, SHINES))
    assert torch.equal(one, other)
    assert set(drawn["fusion-qa"].inputs) == {SOUND}


def test_each_question_is_read_once_and_one_that_is_too_long_is_refused(drawn):
    network = drawn["fusion-qa"].eval()
    told = network.questions([RINGS, SHINES, RINGS], torch.device("cpu"))
    assert torch.equal(told[0], told[2])
    assert not torch.equal(told[0], told[1])
    with pytest.raises(QuestionTooLong, match="a question has 202 tokens, the model has room for 77: which which"):
        network.questions(["which " * 200], torch.device("cpu"))


# --- losses ---


def test_late_fusion_loses_the_binary_cross_entropy_of_its_logits():
    """Logit 0 loses log 2 on either label; logit 2 loses log(1 + e^-2) if it is right, and 2 more if wrong."""
    loss = LateFusion.loss(None, torch.tensor([0.0, 2.0, 2.0]), torch.tensor([1.0, 1.0, 0.0]))
    by_hand = (math.log(2) + 2 * math.log(1 + math.exp(-2)) + 2) / 3
    assert float(loss) == pytest.approx(by_hand)


def test_similarity_loses_what_is_missing_of_the_margin():
    for first, second, label, by_hand in (
        (0.2, 0.7, 1, 0.5),  # right by half of the margin: the other half is lost
        (0.2, 0.7, 0, 1.5),
        (-0.3, 0.9, 1, 0.0),  # by more than the margin
        (0.4, 0.4, 0, 1.0),
    ):
        loss = Comparing.loss(None, torch.tensor([second - first]), torch.tensor([float(label)]))
        assert float(loss) == pytest.approx(by_hand)


def test_it_is_the_triplet_loss_that_the_paper_names():
    theirs = nn.TripletMarginWithDistanceLoss(
        distance_function=lambda one, other: -torch.cosine_similarity(one, other), margin=1.0
    )
    generator = torch.Generator().manual_seed(0)
    question, first, second = torch.randn(3, 20, 8, generator=generator)
    labels = (torch.rand(20, generator=generator) > 0.5).float()
    right, wrong = (torch.where(labels[:, None] == side, second, first) for side in (1, 0))
    margins = torch.cosine_similarity(question, second) - torch.cosine_similarity(question, first)
    assert torch.allclose(Comparing.loss(None, margins, labels), theirs(question, right, wrong), atol=1e-6)


def test_six_crops_are_added_up_with_the_whole_square_three_times():
    """Only one object's whole crop matches the question: three of eight parts of the similarity."""
    assert CROPS == (1, 1, 1, 1, 1, 3)
    network = made(BASELINES["clip"], {CLIP: ""}, (RINGS,), width=8, dropout=0.0, seed=0).eval()
    with torch.no_grad():
        project = network.word_backbone.model.text_projection
        asked = project(network.questions([RINGS], torch.device("cpu")))[0]
        across = torch.linalg.svd(asked[None])[2][1]  # at right angles to it
        crops = torch.stack([torch.stack([across] * 5 + [asked]), torch.stack([across] * 6)])
        margin = network.margins("", {CLIP: crops}, [RINGS], torch.tensor([1]), torch.tensor([0]))
    assert float(margin) == pytest.approx(3 / 8, abs=1e-5)
