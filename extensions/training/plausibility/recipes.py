"""Training settings of the small video network, as data."""

from dataclasses import dataclass

from benchmarks.definitions.papers.grasp_tests import LEVEL_2

SEED_OF_CLIPS = 900_000  # far from the seeds of packs, so that no clip of a leaderboard is in the training
HOW_THINGS_MOVE = frozenset({"gravity", "inertia", "collision", "support"})
MOTION_TESTS = tuple(test.name for test in LEVEL_2 if HOW_THINGS_MOVE & set(test.concepts))


@dataclass(frozen=True)
class PlausibilityRecipe:
    """Everything that determines a training except the seed."""

    tests: tuple[str, ...] = tuple(test.name for test in LEVEL_2)
    pairs: int = 64  # per test: the same scene as a plausible and as an implausible clip
    frames: int = 16  # evenly spaced
    height: int = 36  # pixels
    width: int = 48
    channels: tuple[int, int, int] = (16, 32, 48)
    dropout: float = 0.3
    steps: int = 1000
    batch: int = 16  # pairs
    rate: float = 2e-3
    decay: float = 0.01

    @property
    def sampler(self) -> str:
        """The name of the frame sampler, as runs use it."""
        return f"uniform-{self.frames}"

    @property
    def clips(self) -> int:
        return 2 * self.pairs * len(self.tests)


# "motion" saw half of the tests and shows what a network knows of concepts that it was never trained on.
RECIPES = {"small": PlausibilityRecipe(), "motion": PlausibilityRecipe(tests=MOTION_TESTS, steps=500)}
