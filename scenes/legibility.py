"""Measures how visibly the twins of a test differ, and how large the things named in a Level-1 clip are.

The telltale is the visible difference between the twins' pictures after the violation: pixels whose body differs in
role, material or colour, in segmentation renderings of 320 x 240 pixels. Shadows do not count.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scenes.audit.auditing import main_columns
from scenes.rendering.mujoco_renderer import look_of, pictures
from scenes.rendering.segmentation import Segmenter
from scenes.scene import STEP
from scenes.trajectory import Trajectory

SIZE = (320, 240)  # pixels
STRIDE = 5  # states between two comparisons, a tenth of a second; linear in between
NOTICED = 40  # pixels: a disc of seven across
FLARE = 0.01  # of white: the light of the room on a screen
LIKE = {"substitute": "object"}  # roles that only the audit distinguishes

Look = tuple[str, str, tuple[int, ...]]


@dataclass(frozen=True)
class Telltale:
    """How long, how large and how clear the difference of two twins is."""

    frames: int  # states that differ in at least NOTICED pixels
    seconds: float
    pixels: int  # in the state that differs most
    contrast: float  # in that state
    peak: int
    at_end: bool  # whether the last pictures differ


def telltale(first: Trajectory, second: Trajectory, since: int) -> Telltale:
    """Compare two twins from state `since` on."""
    end = min(len(first), len(second)) - 1
    states = sorted({*range(min(since, end), end, STRIDE), end})
    numbers: dict[Look, int] = {}
    looks = (_Looks(first, numbers), _Looks(second, numbers))
    counts = [int((looks[0].at(state) != looks[1].at(state)).sum()) for state in states]
    every = np.arange(states[0], end + 1)
    frames = int((np.interp(every, states, counts) >= NOTICED).sum())
    peak = int(np.argmax(counts))
    return Telltale(
        frames=frames,
        seconds=round(frames * STEP, 2),
        pixels=counts[peak],
        contrast=_contrast(first, second, states[peak], looks[0].at(states[peak]) != looks[1].at(states[peak])),
        peak=states[peak],
        at_end=counts[-1] >= NOTICED,
    )


def still_share(trajectory: Trajectory) -> float:
    """Share of the states that look like the previous state."""
    looks = [look_of(trajectory, state) for state in range(len(trajectory))]
    same = sum(now == before for before, now in itertools.pairwise(looks))
    return round(same / max(1, len(looks) - 1), 3)


def named_pixels(trajectory: Trajectory) -> int:
    """Pixels of the smallest body that a Level-1 clip asks about, in the state in which it is largest."""
    segmenter = Segmenter(trajectory)
    states = sorted({0, len(trajectory) // 2, len(trajectory) - 1})
    maps = [segmenter.columns(state, SIZE) for state in states]
    return min(max(int((map_ == column).sum()) for map_ in maps) for column in main_columns(trajectory))


class _Looks:
    """Pictures of one twin whose pixels are numbers of looks."""

    def __init__(self, trajectory: Trajectory, numbers: dict[Look, int]) -> None:
        self.trajectory = trajectory
        self.numbers = numbers  # shared by the twins
        self.segmenter = Segmenter(trajectory)
        self.last: tuple[bytes, NDArray[np.int64]] | None = None

    def at(self, state: int) -> NDArray[np.int64]:
        look = look_of(self.trajectory, state)
        if self.last is None or self.last[0] != look:
            columns = self.segmenter.columns(state, SIZE)
            self.last = look, np.array([*self._numbers(state), -1])[columns]  # column -1: nothing there
        return self.last[1]

    def _numbers(self, state: int) -> list[int]:
        colours = (self.trajectory.colour[state] * 255).round().astype(int).tolist()
        looks = [
            (LIKE.get(body.role, body.role), body.material, tuple(colour))
            for body, colour in zip(self.trajectory.description.bodies, colours, strict=True)
        ]
        return [self.numbers.setdefault(look, len(self.numbers)) for look in looks]


def _contrast(first: Trajectory, second: Trajectory, state: int, differs: NDArray[np.bool_]) -> float:
    """Mean Michelson contrast of the twins' pictures over the pixels where they differ.

    In each pixel the colour channel with the largest difference counts, in linear light plus the screen's flare.
    """
    if not differs.any():
        return 0.0
    light, other = (
        _linear(next(iter(pictures(twin, SIZE, [state]))).pixels[differs]) + FLARE for twin in (first, second)
    )
    return round(float((np.abs(light - other) / (light + other)).max(axis=1).mean()), 3)


def _linear(pixels: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Linear light from 0 to 1 of sRGB values (IEC 61966-2-1)."""
    values = pixels / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
