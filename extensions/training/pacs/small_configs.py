"""Small backbones of the paper's families, from their configuration classes with new weights.

Each is a transformers model with its preprocessor, saved and opened in the library's own file format like a downloaded
model.
"""

from collections.abc import Iterable
from typing import Any

import transformers as hf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from evaluation.adapters import torchvision_shim
from extensions.training.pacs.recipes import CLAP, CLIP, IMAGE, QUESTION, SOUND, VIDEO

torchvision_shim.declared()  # must precede the first use of a transformers class

EDGE = 64  # pixels of a small picture
CUT: dict[str, Any] = {"size": {"shortest_edge": EDGE}, "crop_size": {"height": EDGE, "width": EDGE}}
RATE = 16_000  # sampling rate of the small models in Hz
SECONDS = 3.04  # of a small AST's sound; Tapped's clips have three
SPREAD = 0.1  # deviation of the initial weights; the usual 0.02 suits widths of hundreds and learns nothing here
SMALL: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "initializer_range": SPREAD,
}
LONGEST = 77  # tokens of a question
# The end token must not have number 2: for it transformers' CLIP uses a rule made for files from before 2023.
ENDS = {f"{name}_token": f"<{name}>" for name in ("pad", "unk", "bos", "eos")}


def small_tokenizer(texts: Iterable[str]) -> hf.PreTrainedTokenizerFast:
    """A case-insensitive tokenizer of the words in these texts; any other word becomes `<unk>`."""
    before = normalizers.Lowercase(), pre_tokenizers.Whitespace()
    words = {word for text in texts for word, _ in before[1].pre_tokenize_str(before[0].normalize_str(text))}
    numbers = {word: number for number, word in enumerate((*ENDS.values(), *sorted(words)))}
    raw = Tokenizer(models.WordLevel(numbers, unk_token=ENDS["unk_token"]))
    raw.normalizer, raw.pre_tokenizer = before
    begin, end = ENDS["bos_token"], ENDS["eos_token"]
    raw.post_processor = processors.TemplateProcessing(f"{begin} $A {end}", special_tokens=[(begin, 2), (end, 3)])
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=raw, **ENDS, model_max_length=LONGEST, model_input_names=["input_ids", "attention_mask"]
    )


def small(part: str, tokenizer: hf.PreTrainedTokenizerFast) -> tuple[hf.PreTrainedModel, Any]:
    """A small model of this part, initialised from torch's random generator, and its preprocessor."""
    return {
        IMAGE: _image,
        SOUND: _sound,
        VIDEO: _video,
        CLAP: _clap,
        QUESTION: lambda: _question(tokenizer),
        CLIP: lambda: _clip(tokenizer),
    }[part]()


def _image() -> tuple[hf.PreTrainedModel, Any]:
    config = hf.ViTConfig(**SMALL, image_size=EDGE, patch_size=8)
    return hf.ViTModel(config), hf.ViTImageProcessor(size={"height": EDGE, "width": EDGE})


def _sound() -> tuple[hf.PreTrainedModel, Any]:
    reader = hf.ASTFeatureExtractor(num_mel_bins=64, max_length=round(SECONDS * 100), sampling_rate=RATE)
    config = hf.ASTConfig(
        **SMALL, num_mel_bins=64, max_length=reader.max_length, patch_size=16, frequency_stride=16, time_stride=16
    )
    return hf.ASTModel(config), reader


def _video() -> tuple[hf.PreTrainedModel, Any]:
    config = hf.VideoMAEConfig(**SMALL, image_size=EDGE, patch_size=16, num_frames=8, tubelet_size=2)
    return hf.VideoMAEModel(config), hf.VideoMAEImageProcessor(**CUT)


def _question(tokenizer: hf.PreTrainedTokenizerFast) -> tuple[hf.PreTrainedModel, Any]:
    config = hf.DebertaV2Config(
        **SMALL | {"num_hidden_layers": 1},
        max_position_embeddings=LONGEST,
        vocab_size=len(tokenizer),
        relative_attention=True,
        position_biased_input=False,
        pos_att_type=["p2c", "c2p"],
        pad_token_id=tokenizer.pad_token_id,
    )
    return hf.DebertaV2Model(config), tokenizer


def _clip(tokenizer: hf.PreTrainedTokenizerFast) -> tuple[hf.PreTrainedModel, Any]:
    ends = {name: getattr(tokenizer, name) for name in ("pad_token_id", "bos_token_id", "eos_token_id")}
    text_config = (
        SMALL | ends | {"max_position_embeddings": LONGEST, "vocab_size": len(tokenizer), "num_hidden_layers": 1}
    )
    config = hf.CLIPConfig(
        text_config=text_config, vision_config=SMALL | {"image_size": EDGE, "patch_size": 8}, projection_dim=64
    )
    return hf.CLIPModel(config), hf.CLIPProcessor(hf.CLIPImageProcessor(**CUT), tokenizer)


def _clap() -> tuple[hf.PreTrainedModel, Any]:
    config = hf.ClapAudioConfig(
        spec_size=64,
        num_mel_bins=16,
        patch_embeds_hidden_size=32,
        hidden_size=64,
        depths=[2, 2],
        num_attention_heads=[2, 4],
        window_size=4,
        projection_dim=64,
        num_hidden_layers=2,
        patch_size=4,
        patch_stride=[4, 4],
        enable_fusion=False,
        hidden_act="gelu",
        projection_hidden_act="relu",
    )
    reader = hf.ClapFeatureExtractor(
        feature_size=16,
        sampling_rate=RATE,
        hop_length=320,
        max_length_s=5,
        fft_window_size=1024,
        frequency_min=40,
        frequency_max=8000,
        truncation="rand_trunc",
        padding="repeatpad",
    )
    return hf.ClapAudioModelWithProjection(config), reader
