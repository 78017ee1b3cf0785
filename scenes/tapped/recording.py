"""Input for a small learner: a few small pictures of a thing's clip and its sound, without files in between."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from scenes.tapped.planning import group_of
from scenes.tapped.sounds.loudness import log_mel
from scenes.tapped.staging import scene_of
from scenes.tapped.things import TappedObject

STATES = (15, 45, 75, 105, 135)  # of a clip's 150: the middles of its fifths
SIZE = (128, 72)  # pixels
DRAWS = 5  # first number of the seeds of recordings; clips have another


@dataclass(frozen=True, eq=False)
class Recording:
    """One thing: RGB pictures [n, height, width, 3] and the log mel powers of its sound [bands, moments]."""

    thing: TappedObject
    pictures: NDArray[np.uint8]
    samples: NDArray[np.float32]


def recording_of(seed: int, thing: TappedObject) -> Recording:
    """The recording of this thing, always the same for the same seed."""
    from scenes.rendering.mujoco_renderer import RenderScene
    from scenes.tapped.sounds.sound import RATE, clip_sound_of
    from scenes.tapped.touching import simulate_touches

    rng = np.random.default_rng([seed, DRAWS, int(thing.key.removeprefix("object"))])
    scene = scene_of(thing, rng)
    trajectory, touches = simulate_touches(scene, thing)
    sound = clip_sound_of(thing, touches, scene.seconds, rng)
    stage = RenderScene(trajectory, SIZE)
    pictures = np.stack([stage.draw(state).copy() for state in STATES])
    return Recording(thing, pictures, log_mel(sound, RATE).astype(np.float32))


def recordings_of(
    seed: int, groups: Iterable[int], *, start: Callable[[], None] | None = None
) -> Iterator[list[Recording]]:
    """The recordings of each group's four things, in the order of the groups; each process first calls `start`."""
    # Spawned processes: neither threads nor a fork are safe for the state of OpenGL and the physics engine.
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn"), initializer=start) as pool:
        yield from pool.map(_group, *zip(*((seed, group) for group in groups), strict=True))


def _group(seed: int, group: int) -> list[Recording]:
    things: Sequence[TappedObject] = group_of(seed, group)
    return [recording_of(seed, thing) for thing in things]
