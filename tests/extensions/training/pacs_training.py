"""Small baselines on pacs_objects.

`python -m tests.extensions.training.pacs_training FOLDER` trains one and prints each finished step.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from extensions.training.core import loop  # noqa: E402
from extensions.training.core.loop import Loop, Reached  # noqa: E402
from extensions.training.pacs.examples import PairQuestion  # noqa: E402
from extensions.training.pacs.network import made, places_of  # noqa: E402
from extensions.training.pacs.objective import PairObjective  # noqa: E402
from extensions.training.pacs.recipes import BASELINES  # noqa: E402
from tests.extensions.training.pacs_objects import RINGS, SHINES, world  # noqa: E402

OTHERS = 1000  # numbers of the validation objects


def track_of(name: str, *, groups: int = 4, **recipe: object) -> PairObjective:
    """A baseline with its training data, and three groups of other objects for validation."""
    baseline = BASELINES[name]
    small = replace(baseline.sizes["small"], batch=2, width=32, **recipe)  # type: ignore[arg-type]
    places = places_of(baseline, None, is_random=True)
    network = made(baseline, places, (RINGS, SHINES), width=small.width, dropout=small.dropout, seed=0)
    objects, train = world(network.inputs, groups)
    others, asked = world(network.inputs, 2, seed=500)
    objects |= {number + OTHERS: kept for number, kept in others.items()}
    check = [PairQuestion(one.first + OTHERS, one.second + OTHERS, one.text, one.label) for one in asked]
    return PairObjective(network, baseline, small, 0, train=train, check=check, objects=objects)


def train(folder: Path, after_each: Callable[[int], object] = lambda step: None) -> tuple[PairObjective, Reached]:
    def progress(step: int, of: int, loss: float) -> None:
        after_each(step)

    course = track_of("fusion-qa", epochs=4, check_every=1)
    return course, Loop(course, folder / "checkpoint").run(progress)


def train_with_checkpoints(folder: Path, after_each: Callable[[int], object]) -> None:
    """The same with a checkpoint after every step, for a process of its own."""
    loop.CHECKPOINT_SECONDS = -1
    train(folder, after_each)


if __name__ == "__main__":
    train_with_checkpoints(Path(sys.argv[1]), lambda step: print(step, flush=True))
