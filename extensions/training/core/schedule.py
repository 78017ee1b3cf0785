"""The learning rate over a training: a factor from 0 to 1 on the full rate, at the fraction `way` of the training."""

import math

WARM_UP = 0.08  # of all steps


def warmth(way: float, warm_up: float = WARM_UP) -> float:
    """A short linear rise, then half a cosine down to zero."""
    if way < warm_up:
        return way / warm_up
    return 0.5 * (1 + math.cos(math.pi * (way - warm_up) / (1 - warm_up)))
