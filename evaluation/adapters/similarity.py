"""Chooses between two objects by the similarity of their frames and sound to the question.

CLIP as in PACS (Yu et al. 2022, section 5): the answer is the object whose image embedding has the higher cosine
similarity to the question's. The paper trained the text projection on PACS and used AudioCLIP's fused embedding; here
released weights are used unchanged, and the probabilities by frames and by sound are averaged.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

from evaluation.adapters import THREADS
from evaluation.adapters.base import Reply, Request, Turn
from evaluation.adapters.embedding_models import AUDIO, IMAGE, Matcher, TextTooLong
from evaluation.adapters.object_pairs import UNDECIDED, objects_of
from evaluation.adapters.transformers.loading import device_named
from evaluation.adapters.weights import folder_of
from evaluation.errors import ModelMisused


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
