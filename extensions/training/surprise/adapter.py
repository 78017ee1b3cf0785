"""The predictor as a model: it gives the surprise of each frame of a clip, or the time of the most surprising one."""

from collections.abc import Iterable, Iterator

import torch

from evaluation.adapters.base import Reply, Request, Turn, at_once
from evaluation.parsing.numeric_replies import surprises_written
from extensions.training.core.saved_network import SavedNetwork
from extensions.training.plausibility.network import brought_to
from extensions.training.surprise.network import opened


class SurpriseModel(SavedNetwork):
    """`path` is a folder written by `train_baseline grasp-predictor`."""

    family = "2-D convolutions"
    opened = staticmethod(opened)

    @property
    def inputs(self) -> str:
        return f"{self.network.recipe.clips.frames} frames"

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(self._surprised(request) for request in requests)

    def _surprised(self, request: Request) -> Reply:
        clips = [turn.frames for turn in request.turns if isinstance(turn, Turn) and turn.frames]
        recipe = self.network.recipe
        if not clips or len(clips[-1]) <= recipe.context:
            return Reply("", error=f"predicts a frame from {recipe.context} before it: --sampler uniform-32")
        frames = clips[-1]
        pictures = brought_to(recipe.clips, torch.tensor(frames.pixels))
        surprises, times = self.network.surprises(pictures), frames.times[recipe.context :]
        if request.by_surprise:
            return Reply(surprises_written(surprises, times))
        return Reply(f"Answer: {times[surprises.index(max(surprises))]:.2f}")
