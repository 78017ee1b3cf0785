"""Opens a saved model of the transformers library, chooses its device and dtype, and describes it for the run card."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from evaluation.adapters.base import Frames
from evaluation.adapters.conversation import APART, IMAGES, NOTHING, VIDEO, WOVEN, Talk
from evaluation.adapters.transformers.constraints import thinking_options
from evaluation.adapters.transformers.sizing import with_options
from evaluation.adapters.weights import EARS, FROM_DISK, WEIGHTS_FROM_DISK
from evaluation.errors import ModelMisused

AUTO = ("", "auto")
PROCESSORS = ("processor_config.json", "preprocessor_config.json", "video_preprocessor_config.json")
# Processors whose part for clips the pinned library can't run: it splits Kimi's features by frames that it has pooled,
# and reads Nemotron's list of metadata as that of a single clip.
CLIPS_AS_IMAGES = ("Kimi_K25Processor", "NemotronH_Omni_Reasoning_V3Processor")
# Layers that attend to blocks of tokens counted from the first one, so that padding before a prompt moves the blocks.
BY_BLOCKS = {"minimax_m3_sparse", "compressed_sparse_attention", "heavily_compressed_attention"}
# Variables of a chat template that this site or the library fills.
NOT_OPTIONS = ("messages", "conversation", "chat_template", "tokenize", "add_generation_prompt", "tools", "documents")


@dataclass(frozen=True)
class LoadedModel:
    """An opened model; `processor` is the tokenizer itself if the model takes only text."""

    model: Any
    processor: Any
    tokenizer: Any
    sees: str  # VIDEO, IMAGES or NOTHING
    stills: str  # how it sees single pictures: VIDEO only in a family that takes no images
    template_options: Mapping[str, Any] = field(default_factory=dict)  # for the chat template, such as enable_thinking
    hears: str = ""  # APART or WOVEN; "" for a model without sound

    def rendered(self, talk: Talk) -> str:
        """The prompt up to the next reply, by the model's own chat template."""
        from jinja2 import TemplateError

        messages = talk.messages(self.sees, self.stills, self.hears)
        options = {
            **self.template_options,
            **thinking_options(talk.request.thinking, str(self.processor.chat_template)),
        }
        try:
            text = self.processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **options)
        except (TemplateError, TypeError, KeyError) as error:
            raise ModelMisused(f"the model's chat template refuses the conversation: {first_line(error)}") from error
        if not isinstance(text, str):
            raise ModelMisused(f"{type(self.processor).__name__} lays out conversations as tokens, never as text")
        return text

    @property
    def media_form(self) -> str:
        """How clips and pictures are shown, for the card."""
        if self.sees != VIDEO:
            return self.sees
        own = "an image" if self.stills == IMAGES else "a video of one frame"
        return f"{VIDEO}; a picture of its own as {own}"

    @property
    def is_moved_by_padding(self) -> bool:
        """Whether padding before a prompt changes its reply, as the library says of its attention by blocks."""
        return not BY_BLOCKS.isdisjoint(getattr(self.model.config.get_text_config(), "layer_types", None) or ())

    def shows_as_images(self, frames: Frames) -> bool:
        return (self.stills if frames.is_still else self.sees) == IMAGES

    def adds_start(self, text: str) -> bool:
        """Whether the tokenizer adds its special tokens, by the rule of the library's apply_chat_template.

        It adds none if the text begins with the start token, and a plain tokenizer adds none to a template's text.
        """
        start = self.tokenizer.bos_token
        return self.processor is not self.tokenizer and not (start and text.startswith(start))


def opened(
    place: Path,
    how: Mapping[str, Any],
    template_options: Mapping[str, Any] | None = None,
    processor_options: Mapping[str, Any] | None = None,
) -> LoadedModel:
    """Open processor and model of a folder or GGUF file, without any download; raises ModelMisused.

    `how` are arguments of the library's from_pretrained, such as dtype.
    """
    from safetensors import SafetensorError

    show_no_bars()
    try:
        processor, model = _from_folder(place, how) if place.is_dir() else _from_gguf(place, how)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError, SafetensorError) as error:
        raise ModelMisused(f"{place}: not a model that transformers can open: {first_line(error)}") from error
    processor = with_options(processor, processor_options or {})
    tokenizer = getattr(processor, "tokenizer", processor)
    processor.chat_template = getattr(processor, "chat_template", None) or getattr(tokenizer, "chat_template", None)
    if not processor.chat_template:
        raise ModelMisused(f"{place}: the model has no chat template")
    tokenizer.padding_side = "left"  # so that all prompts end where replies begin
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    options = checked_options(template_options or {}, str(processor.chat_template))
    return LoadedModel(
        model, processor, tokenizer, *sight_of(processor), options, audio_support(processor, model.config)
    )


def checked_options(options: Mapping[str, Any], template: str) -> Mapping[str, Any]:
    """The given options; raises ModelMisused for one that the chat template does not use."""
    for name in options:
        if name in NOT_OPTIONS or not re.search(rf"\b{re.escape(name)}\b", template):
            raise ModelMisused(f"template option {name!r}: the model's chat template reads no such option")
    return options


def show_no_bars() -> None:
    """Switch off the library's progress bars, which are useless in the log of a worker."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _from_folder(folder: Path, how: Mapping[str, Any]) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoProcessor

    config = AutoConfig.from_pretrained(folder, **FROM_DISK)
    config = getattr(config, "thinker_config", config)  # an Omni model's writing part, not its voice
    _check_processor(folder, config)
    kind = _class_for(config)
    processor = AutoProcessor.from_pretrained(folder, **FROM_DISK)
    model, info = kind.from_pretrained(folder, config=config, output_loading_info=True, **how, **WEIGHTS_FROM_DISK)
    if missing := sorted(info["missing_keys"]):  # the library would draw them at random
        raise ModelMisused(f"{folder}: the weights lack {len(missing)} of the model's tensors, such as {missing[0]}")
    return processor, model


def _class_for(config: Any) -> Any:
    """The class that opens a model of this configuration: one for pictures or sound, else one for text."""
    from transformers import AutoModelForCausalLM, AutoModelForMultimodalLM
    from transformers.models.auto.modeling_auto import MODEL_FOR_MULTIMODAL_LM_MAPPING as MULTIMODAL

    return AutoModelForMultimodalLM if type(config) in MULTIMODAL else AutoModelForCausalLM


def _check_processor(folder: Path, config: Any) -> None:
    """Raise ModelMisused for a model of pictures or sound whose folder lacks their preprocessing."""
    has_senses = any(getattr(config, part, None) is not None for part in ("vision_config", *EARS))
    if has_senses and not any((folder / name).is_file() for name in PROCESSORS):
        raise ModelMisused(f"{folder}: the model sees or hears, and the folder has no processor: {PROCESSORS[0]}")


def _from_gguf(file: Path, how: Mapping[str, Any]) -> tuple[Any, Any]:
    """Quantised weights of a text model, unpacked into the dtype; needs the packages gguf and accelerate."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(file.parent, **FROM_DISK, gguf_file=file.name)
    model = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, **how, **FROM_DISK)
    return tokenizer, model


def sight_of(processor: Any) -> tuple[str, str]:
    """How the model sees a clip and a single picture, judged by its processor: each is VIDEO, IMAGES or NOTHING."""
    images = IMAGES if getattr(processor, "image_processor", None) is not None else NOTHING
    if getattr(processor, "video_processor", None) is None or type(processor).__name__ in CLIPS_AS_IMAGES:
        return images, images
    return VIDEO, VIDEO if images == NOTHING else IMAGES


def ear_of(processor: Any) -> Any:
    """The part of the processor that takes sound; None if it has none."""
    return next(
        (
            ear
            for name in ("feature_extractor", "audio_processor")
            if (ear := getattr(processor, name, None)) is not None
        ),
        None,
    )


def audio_support(processor: Any, config: Any) -> str:
    """How the model hears, judged by its parts and processor: WOVEN if sound is interleaved with the video."""
    if ear_of(processor) is None or not any(getattr(config, ear, None) for ear in EARS):
        return ""
    return WOVEN if hasattr(processor, "replace_video_with_audio_token") else APART


def device_named(name: str) -> torch.device:
    """The device of this name; for "auto" the first GPU, or else the CPU."""
    if name in AUTO:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise ModelMisused(f"no device {name!r}; use auto, cpu, cuda or cuda:N") from error
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ModelMisused(f"no device {name!r} here: this machine has {torch.cuda.device_count()} CUDA devices")
    return device


def dtype_named(name: str, device: torch.device) -> torch.dtype:
    """The dtype of this name; for "auto" bfloat16 on GPUs and float32 elsewhere."""
    if name in AUTO:
        return torch.bfloat16 if device.type == "cuda" else torch.float32
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise ModelMisused(f"no dtype {name!r}; use auto, float32, bfloat16 or float16")
    return dtype


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


# Sampling settings of generate(); the site samples only by the run's temperature.
DRAWING = ("do_sample", "temperature", "top_p", "top_k", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff")
IDENTITY = ("_name_or_path", "name_or_path", "transformers_version", "_from_model_config")  # not the model's


def card_of(opened: LoadedModel) -> dict[str, Any]:
    """Hashes of template, tokenizer, processor and generation settings, and which of those settings are used."""
    generation = opened.model.generation_config.to_diff_dict()
    settings = {name: value for name, value in generation.items() if name not in IDENTITY}
    used = {name: value for name, value in settings.items() if name not in DRAWING and not name.endswith("token_id")}
    return {
        "template": hash_of(opened.processor.chat_template),
        "template options": dict(opened.template_options),
        "tokenizer": hash_of(tokenizer_facts(opened.tokenizer)),
        "processor": hash_of(processor_facts(opened)),
        "generation": hash_of(settings),
        "generation settings used": used,
        "generation settings not used": {name: settings[name] for name in DRAWING if name in settings},
        "attention": getattr(opened.model.config, "_attn_implementation", None) or "eager",
    }


def tokenizer_facts(tokenizer: Any) -> list[Any]:
    """All rules that turn text into tokens, whichever file they come from."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    rules = json.loads(backend.to_str()) if backend is not None else sorted(tokenizer.get_vocab().items())
    if isinstance(rules, dict):  # padding and truncation are left over from the last call
        rules = {name: value for name, value in rules.items() if name not in ("padding", "truncation")}
    return [rules, tokenizer.special_tokens_map, getattr(tokenizer, "add_bos_token", None)]


def processor_facts(opened: LoadedModel) -> Mapping[str, Any]:
    """The processor's settings for images and clips; {} for a text-only model."""
    if opened.processor is opened.tokenizer:
        return {}
    return {name: value for name, value in opened.processor.to_dict().items() if name not in IDENTITY}


def hash_of(value: Any) -> str:
    """SHA-256 over a text, or over a value as JSON with sorted keys."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
