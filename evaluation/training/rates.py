"""How the rate goes over a training: the share of the full rate, from 0 to 1, at a place `way` of it."""

import math

WARM_UP = 0.08  # of all steps


def warmth(way: float, warm_up: float = WARM_UP) -> float:
    """A short straight rise, then half a cosine down to nothing."""
    if way < warm_up:
        return way / warm_up
    return 0.5 * (1 + math.cos(math.pi * (way - warm_up) / (1 - warm_up)))
