"""Training settings of the predictor, as data."""

from dataclasses import dataclass

from extensions.training.plausibility.recipes import PlausibilityRecipe

CLIPS = PlausibilityRecipe(pairs=12, frames=32)


@dataclass(frozen=True)
class PredictorRecipe:
    """Everything that determines a training except the seed; training uses only possible clips."""

    clips: PlausibilityRecipe = CLIPS
    context: int = 3  # frames from which the next one is predicted
    channels: tuple[int, int] = (24, 48)
    steps: int = 1500
    batch: int = 32  # windows
    rate: float = 2e-3


# "untrained" keeps the initial weights: one step at a rate of 0.
RECIPES = {"small": PredictorRecipe(), "untrained": PredictorRecipe(steps=1, rate=0.0)}
