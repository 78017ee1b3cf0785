"""The site's small late-fusion model: from pictures and sounds of two objects it picks the one that fits."""

from collections.abc import Sequence

import torch

from evaluation.adapters.base import REPLY, Reply, Request, Turn
from evaluation.errors import ModelMisused
from extensions.training.core.saved_network import SavedNetwork
from extensions.training.fusion.network import HEARING, SIGHT, normalised_powers, opened, seen_as
from scenes.tapped.sounds.loudness import log_mel

UNDECIDED = "undecided"  # without input, or if both fit equally well: no answer


class FusionModel(SavedNetwork):
    """`path` is a folder written by `train_baseline`; `hears` is true if it was trained with sound."""

    family = "late fusion"
    opened = staticmethod(opened)

    def __init__(self, *, path: str, hears: bool = True) -> None:
        super().__init__(path=path)
        if hears != (HEARING in self.network.channels):
            raise ModelMisused(f"{path}: the saved model has the channels {', '.join(self.network.channels)}")

    @property
    def inputs(self) -> str:
        return " and ".join({SIGHT: "frames", HEARING: "sound"}[channel] for channel in self.network.channels)

    @torch.no_grad()
    def reply_to(self, request: Request) -> Reply:
        turns = [turn for turn in request.turns if turn is not REPLY and isinstance(turn, Turn)]
        objects = [turn for turn in turns if turn.frames or turn.audio]
        if objects and len(objects) != len(request.options):
            return Reply("", error=f"{len(objects)} objects for {len(request.options)} answers")
        if not objects:
            return Reply(UNDECIDED, turns=(UNDECIDED,))
        question = " ".join(turn.text for turn in turns if not (turn.frames or turn.audio))
        words = self.network.word_flags([question] * len(objects))
        scores = self.network.scores(self._sight_of(objects), self._audio_vectors(objects), words)
        text = request.options[int(scores.argmax())] if scores.unique().numel() > 1 else UNDECIDED
        return Reply(text, turns=(text,))

    def _sight_of(self, objects: Sequence[Turn]) -> torch.Tensor:
        """Vectors of the objects' frames; zeros for an object without frames."""
        seen = torch.zeros(len(objects), self.network.width)
        for place, turn in enumerate(objects):
            if turn.frames and SIGHT in self.network.channels:
                seen[place] = self.network.sight_of(seen_as(torch.tensor(turn.frames.pixels))[None])[0]
        return seen

    def _audio_vectors(self, objects: Sequence[Turn]) -> torch.Tensor:
        """Vectors of the objects' sounds; zeros for an object without sound."""
        vectors = torch.zeros(len(objects), self.network.width)
        for place, turn in enumerate(objects):
            if turn.audio and HEARING in self.network.channels:
                sound = torch.tensor(log_mel(turn.audio.samples.astype(float), turn.audio.rate), dtype=torch.float32)
                vectors[place] = self.network.audio_vectors(normalised_powers(sound)[None])[0]
        return vectors
