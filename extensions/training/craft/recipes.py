"""CRAFT's trained models as data: each one's input, size and training.

Full sizes are from the authors' configuration files (hucvl/craft, 10 June 2021); small ones are ours, for minutes on a
CPU. Where paper and configuration differ, the paper counts: pictures of 112 × 112 for all models, the last frame for
-L, MAC-V without self-attention and memory gate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

FIRST, LAST, VIDEO = "first", "last", "video"
SEEN = {"": "the question alone", FIRST: "the first frame", LAST: "the last frame", VIDEO: "the video"}
SETTINGS = ("easy", "hard")
SOLID = ("lstm-cnn", "mac")  # families whose -V variants use R3D-18; TVQA and TVQA+ get single frames


@dataclass(frozen=True)
class CraftRecipe:
    """Everything that determines a training except the seed and the questions."""

    family: str  # which network
    sees: str = ""  # "", a clip's first or last frame, or frames of the whole clip
    frames: int = 1  # evenly spaced frames, if it sees the video
    edge: int = 112  # pixels to which pictures are resized
    width: int = 64  # channels of the encoder's first stage; 64 is ResNet-18's and R3D-18's own
    size: int = 256  # of word embeddings, LSTM states and everything between
    reasoning: int = 12  # steps of MAC
    dropout: float = 0.2
    rate: float = 1e-3  # Adam
    largest_gradient: float = 1.0
    epochs: int = 75
    patience: int = 10  # epochs without a better validation accuracy; the original has no limit and keeps the best
    batch: int = 64  # questions, or videos with all of their questions
    by_video: bool = False  # a batch holds all questions of its videos, so that each video is encoded once

    @property
    def is_solid(self) -> bool:
        """Whether the encoder is R3D-18, for whole clips, rather than ResNet-18, for pictures."""
        return self.sees == VIDEO and self.family in SOLID

    @property
    def sampler(self) -> str:
        """The name of the frame sampler, as runs use it."""
        return f"uniform-{self.frames}" if self.sees == VIDEO else self.sees


@dataclass(frozen=True)
class CraftBaseline:
    """One of the paper's models: its name there and its sizes."""

    title: str
    sizes: Mapping[str, CraftRecipe]


def _sizes(full: CraftRecipe) -> dict[str, CraftRecipe]:
    small = replace(full, size=64, width=16, reasoning=4, edge=64, epochs=12, patience=3, batch=16, by_video=True)
    return {"small": replace(small, frames=8, edge=48, width=8) if full.sees == VIDEO else small, "full": full}


def _video(family: str) -> CraftRecipe:
    """Ten seconds at 5 frames a second; 30 epochs with batches of 32."""
    return CraftRecipe(family, VIDEO, frames=50, epochs=30, batch=32)


BASELINES = {
    "lstm": CraftBaseline("LSTM", _sizes(CraftRecipe("lstm"))),
    "lstm-cnn-f": CraftBaseline("LSTM-CNN-F", _sizes(CraftRecipe("lstm-cnn", FIRST))),
    "lstm-cnn-l": CraftBaseline("LSTM-CNN-L", _sizes(CraftRecipe("lstm-cnn", LAST))),
    "lstm-cnn-v": CraftBaseline("LSTM-CNN-V", _sizes(_video("lstm-cnn"))),
    "mac-f": CraftBaseline("MAC-F", _sizes(CraftRecipe("mac", FIRST))),
    "mac-l": CraftBaseline("MAC-L", _sizes(CraftRecipe("mac", LAST))),
    "mac-v": CraftBaseline("MAC-V", _sizes(_video("mac"))),
    "tvqa": CraftBaseline("TVQA", _sizes(_video("tvqa"))),
    "tvqa-plus": CraftBaseline("TVQA+", _sizes(_video("tvqa+"))),
}
