"""Fits models to the machine: several devices, fewer bits, another attention or picture budget, and the batch size."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import torch

from evaluation.errors import ModelMisused

EIGHT, FOUR = "8bit", "4bit"
BITS = ("", EIGHT, FOUR)
ATTENTIONS = ("", "eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention")
MAPS = ("auto", "balanced", "balanced_low_0", "sequential")
PARTS = ("image_processor", "video_processor", "feature_extractor")


@dataclass(frozen=True)
class Sizing:
    """How a model is placed on the machine; by default on one device and unquantised."""

    device_map: str | Mapping[str, Any] = ""
    quantise: str = ""
    attention: str = ""
    processor_options: Mapping[str, Any] = field(default_factory=dict)  # for pictures, clips and sound

    def __post_init__(self) -> None:
        one_of("quantise", self.quantise, BITS)
        one_of("attention", self.attention, ATTENTIONS)
        if not isinstance(self.device_map, Mapping):
            one_of("device_map", self.device_map, ("", *MAPS))
        if not isinstance(self.processor_options, Mapping):
            raise ModelMisused("option processor_options: an object of the processor's own settings")

    @property
    def is_placed(self) -> bool:
        """Whether the library places the weights itself, so that they can't be moved later."""
        return bool(self.device_map or self.quantise)

    def loading(self, dtype: torch.dtype, device: torch.device) -> dict[str, Any]:
        """Arguments of from_pretrained."""
        arguments: dict[str, Any] = {"dtype": dtype}
        if self.attention:
            arguments["attn_implementation"] = self.attention
        if self.quantise:
            need("bitsandbytes", f"option quantise {self.quantise!r}")
            arguments["quantization_config"] = _in_bits(self.quantise, dtype)
        if self.is_placed:
            need("accelerate", f"option {'device_map' if self.device_map else 'quantise'}")
            arguments["device_map"] = self.device_map or {"": device}
        return arguments

    def facts(self) -> dict[str, Any]:
        """The options that differ from the defaults, for the card."""
        placed = self.device_map if isinstance(self.device_map, str) else dict(self.device_map)
        named = {"device map": placed, "quantised": self.quantise, "processor options": dict(self.processor_options)}
        return {name: value for name, value in named.items() if value}


def _in_bits(bits: str, dtype: torch.dtype) -> Any:
    from transformers import BitsAndBytesConfig

    if bits == EIGHT:
        return BitsAndBytesConfig(load_in_8bit=True)
    return BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype)


def with_options(processor: Any, options: Mapping[str, Any]) -> Any:
    """The processor with these settings in each part that has them; raises ModelMisused for an unknown one."""
    for name, value in options.items():
        parts = [part for part in PARTS if name in _settings(getattr(processor, part, None))]
        if not parts:
            there = sorted({each for part in PARTS for each in _settings(getattr(processor, part, None))})
            raise ModelMisused(f"processor option {name!r}: the model's processor has {', '.join(there) or 'none'}")
        for part in parts:
            own = getattr(processor, part)
            try:
                setattr(processor, part, type(own).from_dict(own.to_dict() | {name: value}))
            except (TypeError, ValueError, KeyError) as error:
                raise ModelMisused(f"processor option {name!r} can't be {value!r}: {error}") from error
    return processor


def _settings(part: Any) -> dict[str, Any]:
    found = part.to_dict() if part is not None else {}
    return {name: value for name, value in found.items() if not name.endswith(("_type", "processor_class"))}


def one_of(name: str, wanted: Any, values: tuple[str, ...]) -> None:
    if wanted not in values:
        raise ModelMisused(f"option {name} {wanted!r}: one of {', '.join(value for value in values if value)}")


def need(package: str, what: str) -> None:
    if find_spec(package) is None:
        raise ModelMisused(f"{what} needs the package {package} where the worker runs: pip install {package}")


ON_CPU = 8  # a larger one only adds padding
LARGEST = 32  # for a GPU; a shard has two batches
USABLE = 0.8  # share of the free memory: later conversations may be longer than the measured one


def batch_that_fits(device: torch.device, ask_one: Callable[[], None]) -> int:
    """The largest power of two that fits into memory, judging by the memory that `ask_one` takes."""
    if device.type != "cuda":
        return ON_CPU
    try:
        taken = peak_of(device, ask_one)
    except torch.OutOfMemoryError:
        return 1
    return power_of_two(free_on(device), taken)


def power_of_two(free: int, taken: int) -> int:
    """The largest power of two that fits, from 1 to LARGEST."""
    fitting = int(USABLE * free / max(1, taken))
    return 1 << max(0, min(LARGEST, fitting).bit_length() - 1)


def peak_of(device: torch.device, ask_one: Callable[[], None]) -> int:
    """The most bytes in use during `ask_one`, beyond those in use before."""
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    ask_one()
    return torch.cuda.max_memory_allocated(device) - before


def free_on(device: torch.device) -> int:
    """The free bytes on the device, after torch has released its cache."""
    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info(device)[0]


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether the error means that the device or the machine has run out of memory."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
