"""Compares text with pictures or sound using a saved model that embeds both in one space (CLIP, SigLIP, CLAP)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from evaluation.adapters import torchvision_shim
from evaluation.adapters.base import Audio
from evaluation.adapters.transformers.loading import first_line, show_no_bars
from evaluation.adapters.weights import FROM_DISK, WEIGHTS_FROM_DISK, folder_of, weights_hash
from evaluation.errors import ModelMisused

IMAGE, AUDIO = "image", "audio"


class TextTooLong(ValueError):
    """The text does not fit into the model's text encoder; it is never truncated silently."""


class Matcher:
    """A saved model, opened only from disk and in float32; `what` is IMAGE or AUDIO."""

    def __init__(self, path: str, what: str, device: torch.device) -> None:
        torchvision_shim.declared()
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
        """The probability of each thing, [n]: softmax of learnt scale × cosine, as in the model's training.

        A thing is an object's Audio or its frames, RGB [frames, height, width, 3]; the cosines of the frames are
        averaged.
        """
        with torch.inference_mode():
            text_vectors = _unit(self.model.get_text_features(**self._read(words)))
            embed = self._pictures if self.what == IMAGE else self._sound
            cosines = torch.stack([(embed(thing) @ text_vectors[0]).mean() for thing in things])
            return torch.softmax(self.scale * cosines, 0).double().cpu()

    def _read(self, words: str) -> Any:
        config = self.model.config
        # SigLIP was trained on texts padded to full length and attends to the padding.
        fill = {"padding": "max_length"} if config.model_type.startswith("siglip") else {}
        tokens = self.tokenizer(words, return_tensors="pt", **fill)
        room = min(config.text_config.max_position_embeddings, self.tokenizer.model_max_length)
        if (length := tokens["input_ids"].shape[1]) > room:
            raise TextTooLong(f"the question has {length} tokens, the model has room for {room}")
        return tokens.to(self.device)

    def _pictures(self, pixels: np.ndarray) -> torch.Tensor:
        inputs = self.reader(images=list(np.array(pixels)), return_tensors="pt").to(self.device)
        return _unit(self.model.get_image_features(**inputs))

    def _sound(self, audio: Audio) -> torch.Tensor:
        """The embedding of one sound, cropped to its middle; the library itself would crop at random."""
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
        processor = AutoProcessor.from_pretrained(folder, **FROM_DISK)
        return processor, AutoModel.from_pretrained(folder, **WEIGHTS_FROM_DISK, dtype=torch.float32)
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
