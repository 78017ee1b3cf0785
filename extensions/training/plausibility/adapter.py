"""The small video network as a model: it judges from a clip's frames alone whether the clip is plausible."""

from collections.abc import Sequence

import numpy as np
import torch

from evaluation.adapters.base import REPLY, Frames, Reply, Request, Turn
from evaluation.inputs.frames import wanted_frames
from evaluation.parsing.numeric_replies import log_probs_written
from extensions.training.core.saved_network import SavedNetwork
from extensions.training.plausibility.network import brought_to, opened

QUESTION = "plausible"  # part of every question of Level 2 and of none of Level 1


class PlausibilityNetwork(SavedNetwork):
    """`path` is a folder written by `train_baseline`."""

    family = "3-D convolutions"
    opened = staticmethod(opened)

    @torch.no_grad()
    def reply_to(self, request: Request) -> Reply:
        turns = [turn for turn in request.turns if isinstance(turn, Turn)]
        frames = [turn.frames for turn in turns if turn.frames]
        if QUESTION not in turns[-1].text:
            return Reply("", error="was trained on the question of Level 2 alone, whether a clip is plausible")
        if not frames or len(frames[-1]) < self.network.recipe.frames:
            return Reply("", error=self._why_blind(frames))
        # An example's clip precedes the clip in question.
        margin = self._margin(frames[-1])
        if request.by_likelihood:
            return self._weighed(margin, request)
        text = "yes" if margin > 0 else "no"
        return Reply(text, turns=(text,) * request.turns.count(REPLY))

    def _weighed(self, margin: float, request: Request) -> Reply:
        """The log-probabilities of yes and no: the network's output is their log-odds."""
        of = {"yes": -float(np.logaddexp(0, -margin)), "no": -float(np.logaddexp(0, margin))}
        return Reply(log_probs_written({option: of[option] for option in request.options}))

    def _margin(self, frames: Frames) -> float:
        recipe = self.network.recipe
        places = list(wanted_frames(recipe.sampler, range(len(frames))))
        pictures = brought_to(recipe, torch.tensor(frames.pixels[places]))
        return float(self.network.margins(pictures[None])[0])

    def _why_blind(self, frames: Sequence[Frames]) -> str:
        recipe = self.network.recipe
        count = len(frames[-1]) if frames else "none"
        return f"was trained on {recipe.frames} frames and is shown {count}: --sampler {recipe.sampler}"
