"""Choosing between objects by similarity: small models of the real families, saved and loaded by the real code."""

import numpy as np
import pytest
import torch

from evaluation.adapters import torchvision_shim
from evaluation.adapters.base import REPLY, Audio, Request, Turn
from evaluation.adapters.media_encoding import resampled
from evaluation.adapters.registry import open_model
from evaluation.adapters.similarity import SimilarityModel
from evaluation.errors import ModelMisused
from evaluation.models import Model
from tests.evaluation.tiny_model import seen

torchvision_shim.declared()

import transformers as hf  # noqa: E402
from tokenizers import Tokenizer, models, pre_tokenizers, processors  # noqa: E402

OPTIONS = ("object 1", "object 2")
WORDS = ["<pad>", "<bos>", "<eos>", "<unk>", "which", "object", "is", "red", "loud", "heavier"]
SMALL = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
TEXT = SMALL | {"vocab_size": len(WORDS), "max_position_embeddings": 12}
TEXT |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
RATE = 48_000


def tokenizer(longest: int):
    raw = Tokenizer(models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="<unk>"))
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    raw.post_processor = processors.TemplateProcessing("<bos> $A <eos>", special_tokens=[("<bos>", 1), ("<eos>", 2)])
    marks = {f"{mark}_token": f"<{mark}>" for mark in ("pad", "bos", "eos", "unk")}
    return hf.PreTrainedTokenizerFast(tokenizer_object=raw, model_max_length=longest, **marks)


def clip_model():
    vision = SMALL | {"image_size": 16, "patch_size": 8}
    config = hf.CLIPConfig(text_config=TEXT, vision_config=vision, projection_dim=8)
    size = {"crop_size": {"height": 16, "width": 16}, "size": {"shortest_edge": 16}}
    return hf.CLIPModel(config), hf.CLIPProcessor(hf.CLIPImageProcessor(**size), tokenizer(12))


def siglip_model():
    vision = SMALL | {"image_size": 16, "patch_size": 8}
    config = hf.SiglipConfig(text_config=TEXT | {"projection_size": 16}, vision_config=vision)
    reader = hf.SiglipImageProcessor(size={"height": 16, "width": 16})
    return hf.SiglipModel(config), hf.SiglipProcessor(reader, tokenizer(12))


def clap_model():
    mel = {"spec_size": 64, "num_mel_bins": 16, "patch_embeds_hidden_size": 8, "patch_size": 4, "patch_stride": [4, 4]}
    layers = {"hidden_size": 16, "depths": [1, 1], "num_attention_heads": [1, 2], "num_hidden_layers": 2}
    audio = mel | layers | {"window_size": 4, "projection_dim": 8, "enable_fusion": False}
    config = hf.ClapConfig(text_config=TEXT | {"max_position_embeddings": 14}, audio_config=audio, projection_dim=8)
    sizes = {"feature_size": 16, "sampling_rate": RATE, "hop_length": 2400, "max_length_s": 1}
    reader = hf.ClapFeatureExtractor(**sizes, truncation="rand_trunc", padding="repeatpad")
    return hf.ClapModel(config), hf.ClapProcessor(reader, tokenizer(12))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Random weights, one seed each, whose noise separates colours and loudness."""
    made = {}
    for name, make in (("clip", clip_model), ("siglip", siglip_model), ("clap", clap_model)):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(1)
            model, processor = make()
            for parameter in model.parameters():
                if parameter.dim() > 1:
                    torch.nn.init.normal_(parameter, std=0.3)
        made[name] = tmp_path_factory.mktemp("models") / name
        model.save_pretrained(made[name])
        processor.save_pretrained(made[name])
    return made


def picture(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (20, 24, 3), dtype=np.uint8)


def sound(seed: int, seconds: float = 0.5, rate: int = RATE) -> Audio:
    return Audio(np.random.default_rng(seed).normal(0, 0.2, int(rate * seconds)).astype(np.float32), rate)


def pair(first: Turn, second: Turn, question: str = "which object is red") -> Request:
    return Request((first, second, Turn(question), REPLY), options=OPTIONS)


def shown(*seeds: int, audio: Audio | None = None) -> Turn:
    return Turn("Object", seen(*(picture(seed) for seed in seeds)), audio)


def said(adapter, *requests: Request) -> list[str]:
    return [reply.error or reply.text for reply in adapter.answer(requests)]


def as_hf_says(folder, question: str, *clips: list[np.ndarray]) -> np.ndarray:
    """Mean cosine of each clip's frames, by the library's own forward pass over text and images together."""
    model, processor = hf.AutoModel.from_pretrained(folder).eval(), hf.AutoProcessor.from_pretrained(folder)
    scores = []
    for frames in clips:
        inputs = processor(text=[question], images=frames, return_tensors="pt")
        with torch.no_grad():
            out = model(**inputs)
        scores.append((out.image_embeds @ out.text_embeds.T).mean().item())
    return np.array(scores)


def test_the_object_that_fits_better_is_chosen_as_the_librarys_own_scores_say(folders):
    adapter = SimilarityModel(path=str(folders["clip"]))
    chosen = said(adapter, *(pair(shown(seed, seed + 50), shown(seed + 100)) for seed in range(12)))
    scores = [
        as_hf_says(folders["clip"], "which object is red", [picture(seed), picture(seed + 50)], [picture(seed + 100)])
        for seed in range(12)
    ]
    assert chosen == [OPTIONS[int(both.argmax())] for both in scores]
    assert set(chosen) == set(OPTIONS)
    assert said(adapter, pair(shown(7), shown(7))) == ["undecided"]  # both fit equally well


def test_shares_are_the_models_own_probabilities(folders):
    adapter = SimilarityModel(path=str(folders["clip"]))
    cosines = as_hf_says(folders["clip"], "which object is red", [picture(1)], [picture(2)])
    shares = adapter.sight.probabilities("which object is red", [picture(1)[None], picture(2)[None]])
    wanted = torch.softmax(torch.tensor(cosines) * adapter.sight.scale, 0)
    assert torch.allclose(shares, wanted, atol=1e-5)


@pytest.mark.parametrize("name", ["clip", "siglip"])
def test_swapping_the_objects_swaps_the_answer(folders, name):
    adapter = SimilarityModel(path=str(folders[name]))
    there = said(adapter, *(pair(shown(seed), shown(seed + 100)) for seed in range(8)))
    back = said(adapter, *(pair(shown(seed + 100), shown(seed)) for seed in range(8)))
    assert [OPTIONS.index(one) + OPTIONS.index(other) for one, other in zip(there, back, strict=True)] == [1] * 8


def test_sound_decides_alone_or_with_sight(folders):
    heard = [pair(Turn("1", None, sound(seed)), Turn("2", None, sound(seed + 100))) for seed in range(8)]
    both = [pair(shown(seed, audio=sound(seed)), shown(seed + 100, audio=sound(seed + 100))) for seed in range(8)]
    sights = [pair(shown(seed), shown(seed + 100)) for seed in range(8)]
    seen_alone = said(SimilarityModel(path=str(folders["clip"])), *sights)
    paths = {"path": str(folders["clip"]), "audio_path": str(folders["clap"])}
    heard_alone = said(SimilarityModel(audio_path=str(folders["clap"])), *heard)
    assert set(heard_alone) == set(OPTIONS)
    assert seen_alone != heard_alone
    assert said(SimilarityModel(**paths, audio_weight=0), *both) == seen_alone
    assert said(SimilarityModel(**paths, audio_weight=1), *both) == heard_alone
    assert SimilarityModel(**paths).description["family"] == "CLIPModel + ClapModel"


def test_long_sound_gives_the_same_answer_every_time(folders):
    adapter = SimilarityModel(audio_path=str(folders["clap"]))
    requests = [pair(Turn("1", None, sound(seed, 3)), Turn("2", None, sound(seed + 100, 3))) for seed in range(4)]
    shares = [adapter.hearing.probabilities("loud", [turn.audio for turn in requests[0].turns[:2]]) for _ in range(3)]
    assert torch.equal(shares[0], shares[1])
    assert torch.equal(shares[0], shares[2])
    assert said(adapter, *requests) == said(adapter, *requests)


def test_sound_is_brought_to_the_models_rate():
    time = np.arange(16_000) / 16_000
    audio = Audio(np.sin(2 * np.pi * 440 * time).astype(np.float32), 16_000)
    there = resampled(audio, RATE)
    wanted = np.sin(2 * np.pi * 440 * np.arange(RATE) / RATE)
    assert there.shape == (RATE,)
    assert np.abs(there - wanted)[1000:-1000].max() < 0.01
    assert resampled(audio, 16_000) is audio.samples


@pytest.mark.requirement("M12")
def test_what_an_object_lacks_is_an_error_of_the_item(folders):
    sees, hears = SimilarityModel(path=str(folders["clip"])), SimilarityModel(audio_path=str(folders["clap"]))
    half = pair(shown(1, audio=sound(1)), Turn("2", None, sound(2)))
    assert said(sees, half) == ["an object is shown without frames, and this model compares frames"]
    unheard = pair(shown(1, audio=sound(1)), shown(2, audio=sound(2)))
    assert said(sees, unheard) == ["an object is played with its sound, and this model compares frames alone"]
    silent = pair(shown(1, audio=sound(1)), shown(2))
    assert said(hears, silent) == ["an object is shown without sound, and this model compares sound"]
    long = pair(shown(1), shown(2), "which object is red " * 4)
    fine = pair(shown(1), shown(2))
    first, second = said(sees, long, fine)
    assert first == "the question has 18 tokens, the model has room for 12"
    assert second in OPTIONS


def test_what_is_no_choice_between_objects_is_refused_in_words(folders):
    adapter = SimilarityModel(path=str(folders["clip"]))
    for turns in (
        (Turn("Is it red?", seen(picture(1))), REPLY),
        (shown(1), Turn("Is it red?"), REPLY),
        (shown(1), shown(2), REPLY),
        (shown(1), shown(2), shown(3), Turn("which"), REPLY),
        (shown(1), shown(2), REPLY, Turn("which"), REPLY),
    ):
        with pytest.raises(ModelMisused, match="this model chooses between objects that are shown one a turn"):
            said(adapter, Request(turns, options=("yes", "no")))


def test_wrong_folders_and_options_are_one_line(folders):
    for options, words in (
        ({}, "option path or audio_path: the folder of a saved model"),
        ({"path": "/nowhere"}, "/nowhere: no saved model here, config.json is missing"),
        ({"path": "clip", "audio_weight": 2}, "option audio_weight 2: a number from 0 to 1"),
        ({"path": "clap"}, "ClapModel does not compare words with image"),
        ({"audio_path": "clip"}, "CLIPModel does not compare words with audio"),
        ({"path": "clip", "device": "cuda:9"}, "no device 'cuda:9' here"),
    ):
        given = {name: str(folders.get(value, value)) if "path" in name else value for name, value in options.items()}
        with pytest.raises(ModelMisused) as error:
            open_model(Model(slug="x", kind="similarity", options=given))
        assert words in str(error.value)
        assert "\n" not in str(error.value)
