"""Training settings of the small pair models, as data."""

from dataclasses import dataclass

SIGHT, HEARING = "sight", "hearing"
SEED_OF_OBJECTS = 900_000  # far from the seeds of packs, so that no object of a leaderboard is in the training


@dataclass(frozen=True)
class FusionRecipe:
    """Everything that determines a training except the seed."""

    channels: tuple[str, ...]
    steps: int
    groups: int = 160  # of four objects
    width: int = 48
    groups_a_step: int = 12
    rate: float = 2e-3
    decay: float = 1e-3


RECIPES = {"sound": FusionRecipe((HEARING,), steps=160), "sight": FusionRecipe((SIGHT,), steps=200)}
