"""The sizes of the model as data: training clips, model size, duration."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class VideoLanguageRecipe:
    """Everything that determines a training except the seed."""

    clips: Mapping[str, int]  # clips per scene, by test
    shares: Mapping[str, int]  # share of each batch, by test
    picture_size: int = 96  # pixels per edge
    patch_size: int = 8
    sight_width: int = 64
    sight_layers: int = 2
    speech_width: int = 64
    speech_layers: int = 2
    sight_heads: int = 2  # few and wide: on a CPU, attention with small heads takes most of the time
    speech_heads: int = 2
    spread: float = 0.1  # deviation of the initial weights; 0.02 suits widths of thousands and learns nothing here
    frames: int = 8
    steps: int = 450
    batch: int = 32
    matrix_rate: float = 0.02
    other_rate: float = 4e-3


# Training clips are small and have one frame a second: neither changes what they show.
CLIP_SIZE, CLIP_FPS = (320, 240), 1
SEED_OF_CLIPS = 900_000  # far from the seeds of packs, so that no clip of a leaderboard is in the training
SEEING = {"Shape": 24, "Color": 8}
RECIPES = {
    "small": VideoLanguageRecipe(clips={"Shape": 280, "Color": 60}, shares=SEEING),
    "full": VideoLanguageRecipe(
        clips={"Shape": 2000, "Color": 500},
        shares=SEEING,
        picture_size=160,
        sight_width=192,
        sight_layers=6,
        speech_width=192,
        speech_layers=4,
        sight_heads=4,
        speech_heads=4,
        steps=8000,
        batch=128,
        matrix_rate=0.01,
        other_rate=1e-3,
    ),
}
