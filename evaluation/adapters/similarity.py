"""Chooses between two objects by the similarity of their frames and sound to the question.

CLIP as in PACS (Yu et al. 2022, section 5): the answer is the object whose image embedding has the higher cosine
similarity to the question's. The paper trained the text projection on PACS and used AudioCLIP's fused embedding; here
released weights are used unchanged, and the probabilities by frames and by sound are averaged.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import torch

from evaluation.adapters import THREADS, torchvision_shim
from evaluation.adapters.base import REPLY, Audio, Reply, Request, Turn
from evaluation.adapters.media_encoding import resampled
from evaluation.adapters.transformers.loading import device_named, first_line, show_no_bars
from evaluation.adapters.weights import FROM_DISK, WEIGHTS_FROM_DISK, folder_of, weights_hash
from evaluation.errors import ModelMisused

UNDECIDED = "undecided"  # a tie is no answer: PACS counts it as wrong


def objects_of(request: Request) -> tuple[list[Turn], str]:
    """The objects in the order of the options, and the question; raises ModelMisused for other requests."""
    turns = [turn for turn in request.turns if isinstance(turn, Turn)]
    objects = [turn for turn in turns if turn.frames or turn.audio]
    after = takewhile(lambda turn: not (turn.frames or turn.audio), reversed(turns))  # turns before name the objects
    question = "\n".join(reversed([turn.text for turn in after if turn.text.strip()]))
    if len(objects) < 2 or len(objects) != len(request.options) or request.turns.count(REPLY) != 1 or not question:
        raise ModelMisused(
            "this model chooses between objects that are shown one a turn, by a question in a turn of its own; here are"
            f" {len(objects)} shown turns for {len(request.options)} possible answers"
        )
    return objects, question


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


class SimilarityModel:
    """A CLIP-like model in folder `path`, a CLAP-like model in folder `audio_path`, or both.

    Objects are the turns with frames or sound, in the order of the item's options; the other turns form the question.
    With both models, `audio_weight` (0 to 1) is the weight of sound in the mean of their probabilities.
    """

    answers_alone = True

    def __init__(
        self,
        *,
        path: str = "",
        audio_path: str = "",
        audio_weight: float = 0.5,
        device: str = "auto",
        threads: int = THREADS,
    ) -> None:
        _check(path, audio_path, audio_weight)
        place = device_named(device)
        torch.set_num_threads(threads)
        self.sight = Matcher(path, IMAGE, place) if path else None
        self.hearing = Matcher(audio_path, AUDIO, place) if audio_path else None
        self.audio_weight = audio_weight if path else 1.0
        matchers = [matcher for matcher in (self.sight, self.hearing) if matcher]
        self.description: dict[str, Any] = {
            "device": str(place),
            "dtype": "float32",
            "threads": torch.get_num_threads(),
            "family": " + ".join(matcher.family for matcher in matchers),
            "shown": " and ".join(["frames"] * bool(self.sight) + ["sound"] * bool(self.hearing)),
            "weights": " + ".join(matcher.weights for matcher in matchers),
        } | ({"audio weight": audio_weight} if len(matchers) > 1 else {})

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options, without reading the weights."""
        _check(options.get("path", ""), options.get("audio_path", ""), options.get("audio_weight", 0.5))

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        for request in requests:
            try:
                yield self._chosen(request)
            except TextTooLong as error:
                yield Reply("", error=str(error))

    def _chosen(self, request: Request) -> Reply:
        objects, question = objects_of(request)
        if problem := self._missing(objects):
            return Reply("", error=problem)
        shares = torch.zeros(len(objects), dtype=torch.float64)
        if self.sight:
            pictures = [turn.frames.pixels for turn in objects if turn.frames]
            shares += (1 - self.audio_weight) * self.sight.probabilities(question, pictures)
        if self.hearing:
            shares += self.audio_weight * self.hearing.probabilities(question, [turn.audio for turn in objects])
        best = [option for option, share in zip(request.options, shares, strict=True) if share == shares.max()]
        text = best[0] if len(best) == 1 else UNDECIDED
        return Reply(text, turns=(text,))

    def _missing(self, objects: Sequence[Turn]) -> str:
        """Why this item can't be compared, or ''; missing frames or sound are never ignored."""
        if self.sight and not all(turn.frames for turn in objects):
            return "an object is shown without frames, and this model compares frames"
        if not self.hearing and any(turn.audio for turn in objects):
            return "an object is played with its sound, and this model compares frames alone"
        if self.hearing and not all(turn.audio and len(turn.audio.samples) for turn in objects):
            return "an object is shown without sound, and this model compares sound"
        return ""


def _check(path: Any, audio_path: Any, audio_weight: Any) -> None:
    if not path and not audio_path:
        raise ModelMisused("option path or audio_path: the folder of a saved model")
    is_share = isinstance(audio_weight, (int, float)) and not isinstance(audio_weight, bool)
    if not is_share or not 0 <= audio_weight <= 1:
        raise ModelMisused(f"option audio_weight {audio_weight!r}: a number from 0 to 1")
    for folder in filter(None, (path, audio_path)):
        if not isinstance(folder, str):
            raise ModelMisused(f"option path {folder!r}: the folder of a saved model")
        folder_of(folder)
