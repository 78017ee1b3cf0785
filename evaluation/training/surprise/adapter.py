"""The predictor as a model: shown a clip, it says how surprising each frame is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch

from evaluation.adapters.base import Reply, Request, Turn, at_once
from evaluation.adapters.weights import folder_of, weights_hash
from evaluation.errors import ModelMisused
from evaluation.parsing.surprise import surprises_written
from evaluation.training.plausibility.network import brought_to
from evaluation.training.surprise.network import opened


class SurpriseModel:
    """`path` is a folder written by `train_baseline grasp-predictor`."""

    def __init__(self, *, path: str) -> None:
        folder = folder_of(path)
        self.network = opened(folder)
        self.description: dict[str, Any] = {
            "device": "cpu",
            "dtype": "float32",
            "threads": torch.get_num_threads(),
            "family": "2-D convolutions",
            "shown": f"{self.network.recipe.clips.frames} frames",
            "weights": weights_hash(folder),
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for bad options, without reading the weights."""
        if not options.get("path"):
            raise ModelMisused("option path: the folder of a saved model")

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        return at_once(self._surprised(request) for request in requests)

    def _surprised(self, request: Request) -> Reply:
        shown = [turn.frames for turn in request.turns if isinstance(turn, Turn) and turn.frames]
        recipe = self.network.recipe
        if not shown or len(shown[-1]) <= recipe.context:
            return Reply("", error=f"predicts a frame from {recipe.context} before it: --sampler uniform-32")
        frames = shown[-1]
        pictures = brought_to(recipe.clips, torch.tensor(frames.pixels))
        return Reply(surprises_written(self.network.surprises(pictures), frames.times[recipe.context :]))
