"""Opening a saved model of the transformers library: what it is, what it can be shown, where it runs and how."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from evaluation.adapters.talk import IMAGES, NOTHING, VIDEO
from evaluation.errors import ModelMisused

AUTO = ("", "auto")


@dataclass(frozen=True)
class Opened:
    """A model ready to be asked; `processor` is the tokenizer itself where the model sees nothing."""

    model: Any
    processor: Any
    tokenizer: Any
    sees: str  # VIDEO, IMAGES or NOTHING


def opened(place: Path, dtype: torch.dtype) -> Opened:
    """Processor and model of a folder or a GGUF file; nothing is fetched from anywhere. Raises ModelMisused."""
    from safetensors import SafetensorError

    show_no_bars()
    try:
        processor, model = _from_folder(place, dtype) if place.is_dir() else _from_gguf(place, dtype)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError, SafetensorError) as error:
        raise ModelMisused(f"{place}: not a model that transformers can open: {first_line(error)}") from error
    tokenizer = getattr(processor, "tokenizer", processor)
    processor.chat_template = getattr(processor, "chat_template", None) or getattr(tokenizer, "chat_template", None)
    if not processor.chat_template:
        raise ModelMisused(f"{place}: the model has no chat template")
    tokenizer.padding_side = "left"  # replies begin where prompts end
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return Opened(model, processor, tokenizer, sight_of(processor))


def show_no_bars() -> None:
    """The library's own switch for its progress bars, which tell nothing in the log of a worker."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _from_folder(folder: Path, dtype: torch.dtype) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING as SEEING

    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    kind: Any = AutoModelForImageTextToText if type(config) in SEEING else AutoModelForCausalLM
    processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
    return processor, kind.from_pretrained(folder, local_files_only=True, dtype=dtype)


def _from_gguf(file: Path, dtype: torch.dtype) -> tuple[Any, Any]:
    """Quantised weights of a text model, unpacked into `dtype`; needs the packages gguf and accelerate."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    where = {"gguf_file": file.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(file.parent, **where)
    return tokenizer, AutoModelForCausalLM.from_pretrained(file.parent, dtype=dtype, **where)


def sight_of(processor: Any) -> str:
    """What the processor can turn into the model's input."""
    if getattr(processor, "video_processor", None) is not None:
        return VIDEO
    return IMAGES if getattr(processor, "image_processor", None) is not None else NOTHING


def device_named(name: str) -> torch.device:
    """The device of this name; the first GPU, or else the CPU, where the choice is left open."""
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
    """The dtype of this name; bfloat16 on GPUs, float32 elsewhere, where the choice is left open."""
    if name in AUTO:
        return torch.bfloat16 if device.type == "cuda" else torch.float32
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise ModelMisused(f"no dtype {name!r}; use auto, float32, bfloat16 or float16")
    return dtype


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
