"""Small baselines on pacs_objects, to be trained in a separate process and killed.

`python -m tests.evaluation.training.pacs_training FOLDER` prints each finished step.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from evaluation.training.core import loop  # noqa: E402
from evaluation.training.core.loop import Loop, Reached  # noqa: E402
from evaluation.training.core.pair_question import PairQuestion  # noqa: E402
from evaluation.training.pacs.build import made, places_of  # noqa: E402
from evaluation.training.pacs.objective import PairObjective  # noqa: E402
from evaluation.training.pacs.recipes import BASELINES  # noqa: E402
from tests.evaluation.training.pacs_objects import RINGS, SHINES, world  # noqa: E402

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


def train(folder: Path, *, says: bool = False) -> tuple[PairObjective, Reached]:
    course = track_of("fusion-qa", epochs=4, check_every=1)
    how_far = Loop(course, folder / "checkpoint").run(lambda step, of, loss: print(step, flush=True) if says else None)
    return course, how_far


if __name__ == "__main__":
    loop.CHECKPOINT_SECONDS = -1
    train(Path(sys.argv[1]), says=True)
