"""A backbone turns one part of the input into vectors; its weights are pretrained, or new and trained here.

Small ones are made of their configuration classes; they are saved and opened in the library's own file format like a
downloaded model.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers as hf
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from evaluation.adapters import torchvision_shim
from evaluation.adapters.transformers.loading import first_line, show_no_bars
from evaluation.adapters.weights import FROM_DISK, WEIGHTS_FROM_DISK
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.pacs.recipes import CLAP, CLIP, IMAGE, NAMES, QUESTION, SOUND, VIDEO

torchvision_shim.declared()  # must precede the first use of a transformers class


def crops_of(model: Any, pixels: torch.Tensor) -> torch.Tensor:
    """CLIP's projected vectors [n, crops, width] of pictures [n, crops, 3, edge, edge]."""
    found = model.get_image_features(pixels.flatten(0, 1))
    return getattr(found, "pooler_output", found).unflatten(0, pixels.shape[:2])


@dataclass(frozen=True)
class Kind:
    """The required model of a part's backbone; `reader` is the class of its preprocessor."""

    family: str  # the library's name for it, in config.json
    model: Any
    reader: Any
    vectors: Callable[[Any, Any], torch.Tensor]  # from the input to [n, width]


KINDS: Mapping[str, Kind] = {
    IMAGE: Kind("vit", hf.ViTModel, hf.AutoImageProcessor, lambda model, inputs: model(inputs).pooler_output),
    SOUND: Kind(
        "audio-spectrogram-transformer",
        hf.ASTModel,
        hf.AutoFeatureExtractor,
        lambda model, inputs: model(inputs).pooler_output,
    ),
    VIDEO: Kind(
        "videomae",
        hf.VideoMAEModel,
        hf.AutoImageProcessor,
        lambda model, inputs: model(inputs).last_hidden_state.mean(1),
    ),
    QUESTION: Kind(
        "deberta-v2", hf.DebertaV2Model, hf.AutoTokenizer, lambda model, inputs: model(**inputs).last_hidden_state[:, 0]
    ),
    CLIP: Kind("clip", hf.CLIPModel, hf.AutoProcessor, lambda model, inputs: crops_of(model, inputs)),
    CLAP: Kind(
        "clap",
        hf.ClapAudioModelWithProjection,
        hf.AutoFeatureExtractor,
        lambda model, inputs: model(input_features=inputs).audio_embeds,
    ),
}


@dataclass(eq=False)
class Backbone:
    """A model with its preprocessor; `source` is the folder or name of its weights, '' for weights initialised here."""

    part: str
    model: Any
    reader: Any
    source: str = ""

    @property
    def width(self) -> int:
        """Width of its vectors."""
        config = self.model.config
        return config.projection_dim if self.part in (CLIP, CLAP) else config.hidden_size

    @property
    def parameters(self) -> int:
        return sum(weight.numel() for weight in self.model.parameters())

    def vectors(self, inputs: Any) -> torch.Tensor:
        """Vectors [n, width] of prepared inputs (see inputs.py, and network.py for tokens)."""
        return KINDS[self.part].vectors(self.model, inputs)


def place_of(part: str, folder: Path | None) -> str:
    """Source of a part's pretrained weights: a folder of its name inside `folder`, or its name on the Hub.

    A name is looked up in the library's own cache on this machine (filled by `hf download NAME`); nothing is
    downloaded.
    """
    if folder is None:
        return NAMES[part]
    if not (folder / part / "config.json").is_file():
        raise TrainingMisused(f"{folder / part}: no saved model here: {NAMES[part]} or one of its family is looked for")
    return str((folder / part).resolve())


def opened(part: str, place: str) -> Backbone:
    """The frozen backbone saved there, in float32; raises TrainingMisused for another family or missing weights."""
    from safetensors import SafetensorError

    kind = KINDS[part]
    show_no_bars()
    try:
        config = hf.AutoConfig.from_pretrained(place, **FROM_DISK)
        if config.model_type not in (kind.family, f"{kind.family}_audio_model"):
            raise TrainingMisused(f"{place}: a {config.model_type}, where {part} wants a {kind.family}")
        model, found = kind.model.from_pretrained(
            place, **WEIGHTS_FROM_DISK, dtype=torch.float32, output_loading_info=True
        )
        reader = kind.reader.from_pretrained(place, **FROM_DISK)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError, SafetensorError) as error:
        if isinstance(error, TrainingMisused):
            raise
        raise TrainingMisused(f"{place}: not a model that transformers can open: {first_line(error)}") from error
    if gaps := sorted(found["missing_keys"]):
        raise TrainingMisused(
            f"{place}: {len(gaps)} weights are not there ({gaps[0]}), so they would be drawn by chance"
        )
    if part == CLAP and config_of(model, "enable_fusion"):
        raise TrainingMisused(f"{place}: this CLAP joins several views of a long sound; an unfused one is wanted")
    return Backbone(part, model.eval().requires_grad_(False), reader, place)


def fingerprint(model: Any) -> str:
    """SHA-256 over all weights, independent of their file."""
    digest = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        digest.update(name.encode() + weight.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def config_of(model: Any, name: str) -> Any:
    return getattr(getattr(model.config, "audio_config", model.config), name, None)


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
