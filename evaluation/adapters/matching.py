"""How well words fit pictures or sound, by a saved model that has one space for both (CLIP, SigLIP, CLAP)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from evaluation.adapters import torchvision_operators
from evaluation.adapters.base import Audio
from evaluation.adapters.opening import first_line, show_no_bars
from evaluation.adapters.weights import folder_of, weights_hash
from evaluation.errors import ModelMisused

IMAGE, AUDIO = "image", "audio"


class TooLong(ValueError):
    """The words do not fit into the model's text encoder; they are never cut silently."""


class Matcher:
    """A saved model opened from disk alone, in float32; `what` is IMAGE or AUDIO."""

    def __init__(self, path: str, what: str, device: torch.device) -> None:
        torchvision_operators.declared()
        folder = folder_of(path)
        self.processor, model = _opened(folder)
        self.model = model.to(device).eval()
        self.what, self.device = what, device
        for name in ("get_text_features", f"get_{what}_features", "config"):
            if not hasattr(self.model, name):
                raise ModelMisused(f"{folder}: {type(model).__name__} does not compare words with {what}")
        self.tokenizer: Any = getattr(self.processor, "tokenizer", None)
        self.reader: Any = getattr(self.processor, "image_processor" if what == IMAGE else "feature_extractor", None)
        if self.tokenizer is None or self.reader is None:
            raise ModelMisused(f"{folder}: the folder has no processor for words and {what}")
        scale = next((getattr(model, name) for name in ("logit_scale_a", "logit_scale") if hasattr(model, name)), None)
        self.scale = float(scale.detach().exp()) if scale is not None else 1.0
        self.weights, self.family = weights_hash(folder), type(model).__name__

    def probabilities(self, words: str, things: Sequence[Any]) -> torch.Tensor:
        """For each thing the share [n] that the model gives it: softmax of learnt scale × cosine, as it was trained.

        A thing is the pictures of one object, RGB [frames, height, width, 3], whose cosines are averaged, or its Audio.
        """
        with torch.inference_mode():
            said = _unit(self.model.get_text_features(**self._read(words)))
            embed = self._pictures if self.what == IMAGE else self._sound
            cosines = torch.stack([(embed(thing) @ said[0]).mean() for thing in things])
            return torch.softmax(self.scale * cosines, 0).double().cpu()

    def _read(self, words: str) -> Any:
        config = self.model.config
        # SigLIP was trained on texts padded to the full length, and pays attention to the padding.
        fill = {"padding": "max_length"} if config.model_type.startswith("siglip") else {}
        tokens = self.tokenizer(words, return_tensors="pt", **fill)
        room = min(config.text_config.max_position_embeddings, self.tokenizer.model_max_length)
        if (length := tokens["input_ids"].shape[1]) > room:
            raise TooLong(f"the question has {length} tokens, the model has room for {room}")
        return tokens.to(self.device)

    def _pictures(self, pixels: np.ndarray) -> torch.Tensor:
        inputs = self.reader(images=list(np.array(pixels)), return_tensors="pt").to(self.device)
        return _unit(self.model.get_image_features(**inputs))

    def _sound(self, audio: Audio) -> torch.Tensor:
        """One sound at a time, cut to the middle: the library's own cutting draws a place at random."""
        rate = self.reader.sampling_rate
        samples = resampled(audio, rate)
        most = int(getattr(self.reader, "nb_max_samples", len(samples)))
        start = max(0, (len(samples) - most) // 2)
        inputs = self.reader(samples[start : start + most], sampling_rate=rate, return_tensors="pt").to(self.device)
        return _unit(self.model.get_audio_features(**inputs))


def _opened(folder: Any) -> tuple[Any, Any]:
    from safetensors import SafetensorError
    from transformers import AutoModel, AutoProcessor

    show_no_bars()
    try:
        processor = AutoProcessor.from_pretrained(folder, local_files_only=True)
        return processor, AutoModel.from_pretrained(folder, local_files_only=True, dtype=torch.float32)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError, SafetensorError) as error:
        raise ModelMisused(f"{folder}: not a model that transformers can open: {first_line(error)}") from error


def _unit(features: Any) -> torch.Tensor:
    vectors = getattr(features, "pooler_output", features)
    return vectors / vectors.norm(dim=-1, keepdim=True)


def resampled(audio: Audio, rate: int) -> np.ndarray:
    """The samples at this rate (Hz), by polyphase filtering."""
    from scipy.signal import resample_poly

    if audio.rate == rate:
        return audio.samples
    ratio = Fraction(rate, audio.rate)
    return resample_poly(audio.samples, ratio.numerator, ratio.denominator).astype(np.float32)
