"""CRAFT's trained baselines: one network per setting, which gets the released question and its own frames."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from django.conf import settings

from evaluation.adapters.base import REPLY, Frames, Reply, Request, Turn, at_once
from evaluation.adapters.weights import folder_of, weights_hash
from evaluation.errors import ModelMisused
from extensions.training.craft.encoders import QuestionBatch
from extensions.training.craft.examples import brought_to
from extensions.training.craft.networks import LoadedNetwork, opened
from extensions.training.craft.recipes import FIRST, SEEN, VIDEO, CraftRecipe
from extensions.training.craft.vocabulary import question_of


class CraftNetwork:
    """`path` is a folder written by `train_baseline` with a folder for each setting; `asked_on` maps splits to training
    splits."""

    def __init__(self, *, path: str, asked_on: Mapping[str, str]) -> None:
        self.asked_on = {split: trained.partition("-")[0] for split, trained in asked_on.items()}
        whole = Path(settings.VAR_DIR) / path
        self.folders = {setting: folder_of(whole / setting) for setting in sorted(set(self.asked_on.values()))}
        self.networks = {setting: opened(folder) for setting, folder in self.folders.items()}

    @cached_property
    def description(self) -> dict[str, Any]:
        recipe = next(iter(self.networks.values())).recipe
        return {
            "device": "cpu",
            "dtype": "float32",
            "threads": torch.get_num_threads(),
            "family": recipe.family,
            "shown": SEEN[recipe.sees],
            "weights": ", ".join(weights_hash(folder) for folder in self.folders.values()),
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options, without reading the weights."""
        if not options.get("path") or not isinstance(options.get("asked_on"), Mapping):
            raise ModelMisused("options path and asked_on: `train_baseline` writes both")

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(self._reply(request) for request in requests)

    @torch.no_grad()
    def _reply(self, request: Request) -> Reply:
        if request.split not in self.asked_on:
            return Reply("", error=f"not trained for the split {request.split!r}; there is: {', '.join(self.asked_on)}")
        answerer = self.networks[self.asked_on[request.split]]
        turns = [turn for turn in request.turns if isinstance(turn, Turn)]
        frames = next((turn.frames for turn in turns if turn.frames), None)
        if problem := why_blind(answerer.recipe, frames):
            return Reply("", error=problem)
        text = answerer.vocabulary.answers[int(_answer_scores(answerer, turns[-1].text, frames).argmax())]
        return Reply(text, turns=(text,) * request.turns.count(REPLY))


def _answer_scores(answerer: LoadedNetwork, text: str, frames: Frames | None) -> torch.Tensor:
    """The score of each answer [answers]."""
    recipe, words = answerer.recipe, answerer.vocabulary.read([question_of(text)])
    if not recipe.sees or frames is None:
        return answerer.network(QuestionBatch(words))[0]
    places = list(range(len(frames))) if recipe.sees == VIDEO else [frames.indices.index(_wanted(recipe, frames))]
    pictures = torch.from_numpy(brought_to(recipe.edge, frames.pixels[places]))[None]
    return answerer.network(QuestionBatch(words, pictures, torch.zeros(1, dtype=torch.int64)))[0]


def _wanted(recipe: CraftRecipe, frames: Frames) -> int:
    """Index of the clip's first or last frame."""
    return 0 if recipe.sees == FIRST else round(frames.duration_seconds * frames.fps) - 1


def why_blind(recipe: CraftRecipe, frames: Frames | None) -> str:
    """Why the input differs from the kind on which the network was trained, or ''."""
    if not recipe.sees:
        return ""
    if frames is None:
        return f"was trained on {SEEN[recipe.sees]} and is shown nothing"
    if recipe.sees == VIDEO:
        seen, wanted = len(frames), recipe.frames
        return (
            "" if seen == wanted else f"was trained on {wanted} frames and is shown {seen}: --sampler {recipe.sampler}"
        )
    if _wanted(recipe, frames) not in frames.indices:
        return f"was trained on {SEEN[recipe.sees]}, which is not shown: --condition {recipe.sees}-frame"
    return ""
