"""CRAFT's trained models as data: what each sees, how large it is and how it is trained.

Full sizes are those of the authors' configuration files (hucvl/craft, 10 June 2021); small ones are ours, for minutes
on a processor. Where paper and configuration differ, the paper stands: pictures of 112 × 112 for all models, the last
frame for -L, MAC-V without self-attention and memory gate.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

FIRST, LAST, VIDEO = "first", "last", "video"
SEEN = {"": "the question alone", FIRST: "the first frame", LAST: "the last frame", VIDEO: "the video"}
SETTINGS = ("easy", "hard")
SOLID = ("lstm-cnn", "mac")  # their -V variants; TVQA and TVQA+ look at frame after frame


@dataclass(frozen=True)
class CraftRecipe:
    """Everything that a training depends on but the seed and the questions."""

    family: str  # which network
    sees: str = ""  # of a clip: nothing, its first or last frame, or frames of all of it
    frames: int = 1  # where it sees the video: so many, evenly spaced
    edge: int = 112  # pixels that pictures are brought to
    width: int = 64  # channels of the encoder's first stage; 64 is ResNet-18's and R3D-18's own
    size: int = 256  # of word embeddings, LSTM states and everything between
    reasoning: int = 12  # steps of MAC
    dropout: float = 0.2
    rate: float = 1e-3  # Adam
    largest_gradient: float = 1.0
    epochs: int = 75
    patience: int = 10  # epochs without a better validation accuracy; the original has none and keeps the best
    batch: int = 64  # questions, or videos with all of their questions
    by_video: bool = False  # whether a batch holds all questions of its videos, so that each is looked at once

    @property
    def is_solid(self) -> bool:
        """Whether the encoder is R3D-18, which sees a clip as a whole, and not ResNet-18, which sees pictures."""
        return self.sees == VIDEO and self.family in SOLID

    @property
    def sampler(self) -> str:
        """As runs name it: what is decoded of a clip."""
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
    """5 frames a second of ten seconds; 30 epochs of 32."""
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
