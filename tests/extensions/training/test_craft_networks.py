"""CRAFT's networks: their size, their encoders beside torchvision's, and independence of a batch's padding."""

from collections import OrderedDict
from dataclasses import replace

import pytest
import torch
from torch import nn

from evaluation.adapters import torchvision_shim
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.craft.encoders import QuestionBatch, r3d18, resnet18
from extensions.training.craft.networks import network_of, places, pretrained_file, read_encoder
from extensions.training.craft.recipes import BASELINES, CraftRecipe
from extensions.training.craft.vocabulary import Vocabulary, question_of, tokens_of

QUESTIONS = ("Is it red?", "How many small cubes enter the basket after the ball hits the ground?", "Is it blue?")
VOCABULARY = Vocabulary.of(QUESTIONS, ("true", "false", "2"))


def parameters(network: nn.Module) -> int:
    return sum(weight.numel() for weight in network.parameters())


def with_head(trunk: nn.Sequential, classes: int) -> nn.Sequential:
    """All four stages with pooling and classifier, as published: 11.69 M parameters (1000 classes) and 33.37 M
    (400)."""
    flat = isinstance(trunk[0], nn.Conv2d)
    last = [module for module in trunk.modules() if isinstance(module, nn.BatchNorm2d | nn.BatchNorm3d)][-1]
    pool = nn.AdaptiveAvgPool2d(1) if flat else nn.AdaptiveAvgPool3d(1)
    parts = [*trunk.named_children(), ("avgpool", pool), ("flatten", nn.Flatten())]
    return nn.Sequential(OrderedDict([*parts, ("fc", nn.Linear(last.num_features, classes))]))


def tiny(name: str) -> CraftRecipe:
    """The model in the smallest size that still has all of its parts."""
    recipe = BASELINES[name].sizes["full"]
    return replace(recipe, edge=32, width=2, size=8, reasoning=2, frames=min(recipe.frames, 5), dropout=0.0)


def asked(recipe: CraftRecipe, questions=QUESTIONS, seed: int = 0) -> QuestionBatch:
    """A batch with two videos: the first has questions one and two, the second the others."""
    words = VOCABULARY.read(questions)
    if not recipe.sees:
        return QuestionBatch(words)
    shape = (2, recipe.frames, 3, recipe.edge, recipe.edge)
    pictures = torch.randint(0, 256, shape, generator=torch.Generator().manual_seed(seed)).to(torch.uint8)
    return QuestionBatch(words, pictures, torch.tensor([0, 0, 1][: len(questions)]))


def test_encoders_have_as_many_parameters_as_published():
    assert parameters(with_head(resnet18(stages=4), 1000)) == 11_689_512
    assert parameters(with_head(r3d18(stages=4), 400)) == 33_371_472
    # Without the last stage (four convolutions, one of 1, five batch norms) and the classes.
    assert parameters(resnet18()) == 11_689_512 - 8_393_728 - 513_000
    assert parameters(r3d18()) == 33_371_472 - 24_908_800 - 205_200


@pytest.mark.parametrize(
    ("ours", "name", "shape", "classes"),
    [(resnet18, "resnet18", (2, 3, 64, 64), 1000), (r3d18, "video.r3d_18", (1, 3, 6, 32, 32), 400)],
)
def test_encoders_are_torchvisions_number_for_number(ours, name, shape, classes):
    torchvision_shim.declared()
    from torchvision import models

    theirs = (models.video.r3d_18 if "r3d" in name else models.resnet18)(weights=None).eval()
    built = with_head(ours(stages=4), classes).eval()
    built.load_state_dict(theirs.state_dict())
    pictures = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        assert torch.allclose(built(pictures), theirs(pictures), atol=1e-5)


def test_the_maps_are_as_large_as_in_the_paper():
    for built, given, made in (
        (resnet18, (1, 3, 112, 112), (1, 256, 7, 7)),
        (resnet18, (1, 3, 256, 256), (1, 256, 16, 16)),
        (r3d18, (1, 3, 50, 112, 112), (1, 256, 13, 14, 14)),
    ):
        with torch.device("meta"):
            assert built().eval()(torch.empty(given)).shape == made


SIZES = {  # 100 words and 2 for padding and the unknown; 20 answers
    "lstm": (557_588, 41_108),
    **dict.fromkeys(("lstm-cnn-f", "lstm-cnn-l"), (5_110_356, 328_356)),
    "lstm-cnn-v": (30_245_844, 284_428),
    **dict.fromkeys(("mac-f", "mac-l"), (7_412_822, 407_846)),
    "mac-v": (15_246_806, 456_078),
    "tvqa": (9_310_804, 409_308),
    "tvqa-plus": (3_985_500, 125_886),
}


def test_each_network_has_so_many_parameters():
    vocabulary = Vocabulary(tuple(f"word{number}" for number in range(100)), tuple(map(str, range(20))))
    with torch.device("meta"):
        counted = {
            name: tuple(parameters(network_of(BASELINES[name].sizes[size], vocabulary)) for size in ("full", "small"))
            for name in SIZES
        }
    assert counted == SIZES
    words, answers, size = 102, 20, 256  # an embedding of 256, an LSTM of 256 with PyTorch's two biases, answers
    lstm = 4 * (size * size + size * size + size + size)
    assert words * size + lstm + (size + 1) * answers == SIZES["lstm"][0]


@pytest.mark.parametrize("name", BASELINES)
def test_a_network_looks_at_its_own_video_alone_and_learns_by_every_weight(name):
    """Padding and company don't change what is said; another video does where the network sees."""
    recipe = tiny(name)
    network, together = network_of(recipe, VOCABULARY, seed=1), asked(recipe)
    network(together).square().sum().backward()
    assert [name for name, weight in network.named_parameters() if weight.grad is None] == []
    network = network_of(recipe, VOCABULARY, seed=1).eval()
    first = asked(recipe, QUESTIONS[:1])
    with torch.no_grad():
        told = network(together)
        alone = network(replace(first, which=None if together.which is None else together.which[:1]))
        other = network(asked(recipe, seed=5))
    assert told.shape == (3, 3)
    assert torch.allclose(told[:1], alone, atol=1e-5)
    assert torch.equal(told, other) == (not recipe.sees)


def test_a_network_that_sees_can_t_be_asked_without_pictures():
    recipe = tiny("tvqa")
    with pytest.raises(ValueError, match="sees videos, and was given none"):
        network_of(recipe, VOCABULARY)(QuestionBatch(VOCABULARY.read(QUESTIONS)))


def test_places_are_sines_and_cosines():
    found = places(3, 4)
    assert found[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    assert found[1].tolist() == pytest.approx([0.8415, 0.5403, 0.0100, 0.9999], abs=1e-4)


# --- words ---


def test_words_are_cut_as_basic_english_does():
    assert tokens_of("Does the tiny green triangle's fall (end), or not?") == [
        "does", "the", "tiny", "green", "triangle", "'", "s", "fall", "(", "end", ")", ",", "or", "not", "?",
    ]  # fmt: skip


def test_questions_are_aligned_on_the_left_and_unknown_words_are_known_as_such():
    words = VOCABULARY.read(["Is it green?", "Is it red or blue, or what?"])
    assert words.tokens[0].tolist()[4:] == [0] * (words.tokens.shape[1] - 4)
    assert (words.tokens[0, 2].item(), words.lengths.tolist()) == (1, [4, 9])
    assert words.mask.sum(1).tolist() == [4, 9]


def test_the_model_reads_the_question_as_released():
    assert question_of("Is it red?\nAnswer with one word: true or false.") == "Is it red?"
    assert question_of("Is it red?\nOr not?") == "Is it red?\nOr not?"


# --- pretrained weights ---


def test_weights_as_torchvision_saves_them_are_read(tmp_path):
    recipe = BASELINES["lstm-cnn-f"].sizes["full"]
    saved = with_head(resnet18(stages=4), 1000).state_dict()
    torch.save(saved, tmp_path / "resnet18-f37072fd.pth")
    network = network_of(recipe, VOCABULARY)
    read_encoder(network, pretrained_file(recipe, tmp_path))
    assert torch.equal(network.eye.trunk.conv1.weight, saved["conv1.weight"])


def test_weights_that_do_not_fit_are_refused_in_words(tmp_path):
    for name, size, content, said in (
        ("lstm", "full", None, "models in full size that see"),
        ("mac-v", "small", None, "models in full size that see"),
        ("mac-v", "full", None, "0 files r3d_18"),
        ("mac-f", "full", {"conv1.weight": torch.ones(1)}, "not the weights of"),
        ("mac-f", "full", b"no weights", "not the weights of"),
    ):
        recipe = BASELINES[name].sizes[size]
        if isinstance(content, bytes):
            (tmp_path / "resnet18.pth").write_bytes(content)
        elif content:
            torch.save(content, tmp_path / "resnet18.pth")
        with pytest.raises(TrainingMisused, match=said):
            read_encoder(network_of(recipe, VOCABULARY), pretrained_file(recipe, tmp_path))
