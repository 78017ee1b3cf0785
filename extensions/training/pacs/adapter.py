"""The PACS models trained here: of two objects they name the one that the question is about."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

from evaluation.adapters import THREADS
from evaluation.adapters.base import Reply, Request, Turn
from evaluation.adapters.similarity import UNDECIDED, objects_of
from evaluation.adapters.transformers.loading import device_named
from evaluation.adapters.weights import folder_of, weights_hash
from evaluation.errors import ModelMisused
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.pacs.examples import own_question
from extensions.training.pacs.inputs import Lacking
from extensions.training.pacs.network import QuestionTooLong, saved
from extensions.training.pacs.recipes import IMAGE, QUESTION, SOUND, VIDEO, name_of

NAMED = (IMAGE, SOUND, VIDEO)  # parts that a head names; every head uses CLIP and CLAP
REMEMBERED = 512  # objects in the cache, since each one occurs in several questions


class PairModel:
    """`path` is a folder written by `train_baseline`; `hears` is true if it was trained with sound."""

    answers_alone = True

    def __init__(self, *, path: str, hears: bool = False, device: str = "auto", threads: int = THREADS) -> None:
        folder, place = folder_of(path), device_named(device)
        torch.set_num_threads(threads)
        try:
            self.baseline, network = saved(folder)
        except TrainingMisused as error:
            raise ModelMisused(str(error)) from error
        if hears != self.baseline.hears:
            raise ModelMisused(f"{path}: option hears: {self.baseline.title} was trained on {self._channels()}")
        self.network, self.device = network.to(place), place
        self.network.moved(place)
        self._known: dict[str, dict[str, torch.Tensor]] = {}
        self.description: dict[str, Any] = {
            "device": str(place),
            "dtype": "float32",
            "threads": torch.get_num_threads(),
            "family": self.baseline.kind,
            "shown": self._channels(),
            "weights": weights_hash(folder),
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options, without reading the weights."""
        folder_of(options.get("path") or "")

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        for request in requests:
            try:
                yield self._chosen(request)
            except (Lacking, QuestionTooLong) as error:
                yield Reply("", error=str(error))

    @torch.inference_mode()
    def _chosen(self, request: Request) -> Reply:
        objects, question = objects_of(request)
        head = self._head_for(objects)
        known = [self._vectors(turn, head) for turn in objects]
        vectors = {part: torch.cat([one[part] for one in known]) for part in known[0]}
        ends = (torch.tensor([place], device=self.device) for place in (0, 1))
        margin = float(self.network.margins(name_of(head), vectors, [own_question(question)], *ends))
        text = request.options[int(margin > 0)] if margin else UNDECIDED
        return Reply(text, turns=(text,))

    def _head_for(self, objects: Sequence[Turn]) -> tuple[str, ...]:
        """The head with the most inputs among those whose inputs are all given; raises Lacking."""
        is_played = [bool(turn.audio) for turn in objects]
        if any(is_played) and not self.baseline.hears:
            raise Lacking("an object is played with its sound, and this model was trained without")
        wants = all(is_played)
        fitting = [head for head in self.baseline.heads if (SOUND in head) == wants]
        if not fitting or any(is_played) != wants:
            raise Lacking("an object is shown without sound, and this model needs it")
        return fitting[0]

    def _vectors(self, turn: Turn, head: Sequence[str]) -> dict[str, torch.Tensor]:
        """Vectors of one object by part [1, ...], cached."""
        parts = [part for part in self.network.inputs if part not in NAMED or part in head]
        name = "/".join((*parts, turn.frames.digest if turn.frames else "", turn.audio.digest if turn.audio else ""))
        if name not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            self._known[name] = {part: self._vector(part, turn) for part in parts}
        return self._known[name]

    def _vector(self, part: str, turn: Turn) -> torch.Tensor:
        reader = self.network.inputs[part]
        inputs = reader.plain(reader.prepared(turn.frames, turn.audio))
        return self.network.vectors(part, inputs[None].to(self.device))

    def _channels(self) -> str:
        return "; ".join(", ".join(part for part in head if part != QUESTION) for head in self.baseline.heads)
