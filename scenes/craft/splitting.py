"""Splits videos into training, validation and test, in the two settings of the release."""

import random
from collections.abc import Iterable

SEED = 10435  # of both settings, in the original and here
LOOK_ALIKE = ((1, 18), (3, 16), (4, 17))  # similar scenes, never in one split of the hard setting
SCENES, TRAINING, VALIDATION = 20, 12, 4
SHARE = 0.2  # of the videos for validation, and the same for test
SPLITS = ("train", "validation", "test")


def easy_split(videos: Iterable[int]) -> dict[int, str]:
    """Split by video: a fifth for test, a fifth for validation, the rest for training."""
    order = sorted(videos)
    random.Random(SEED).shuffle(order)  # noqa: S311 - the release's own draw
    part = int(SHARE * len(order))
    ends = (len(order) - 2 * part, len(order) - part)
    return {video: SPLITS[(place >= ends[0]) + (place >= ends[1])] for place, video in enumerate(order)}


def hard_split() -> dict[int, str]:
    """Split by scene: shuffled until no two similar scenes share a split."""
    chance, scenes = random.Random(SEED), list(range(1, SCENES + 1))  # noqa: S311 - the release's own draw
    while True:
        chance.shuffle(scenes)
        found = {
            scene: SPLITS[(place >= TRAINING) + (place >= TRAINING + VALIDATION)] for place, scene in enumerate(scenes)
        }
        if all(found[one] != found[other] for one, other in LOOK_ALIKE):
            return found
