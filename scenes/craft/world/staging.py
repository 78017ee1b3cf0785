"""Scene number and random numbers -> the things before the first step."""

import math
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from scenes.craft.world import layouts_to_10 as early
from scenes.craft.world import layouts_to_20 as late
from scenes.craft.world.catalogue import BLACK, COLOURS, DYNAMIC_SHAPES, SIZES
from scenes.craft.world.parts import Chance, Fixed, Layout, Setting, Spawn
from scenes.craft.world.run import Thing
from scenes.scene import Profile

IN_ORDER: tuple[Layout, ...] = (
    early.scene_1, early.scene_2, early.scene_3, early.scene_4, early.scene_5,
    early.scene_6, early.scene_7, early.scene_8, early.scene_9, early.scene_10,
    late.scene_11, late.scene_12, late.scene_13, late.scene_14, late.scene_15,
    late.scene_16, late.scene_17, early.scene_18, late.scene_19, late.scene_20,
)  # fmt: skip
LAYOUTS: dict[int, Layout] = dict(enumerate(IN_ORDER, 1))
FRAME = (Fixed("wall_l", 0, 0), Fixed("wall_r", 0, 0), Fixed("ground", 0, 0))
CORNERS = 128  # of the original's circles
LAYOUT, LOOKS = 0, 1  # last numbers of a scene's seeds: for places, for looks
Looks = tuple[str, str, str]  # shape, size, colour


def stage(
    number: int, seed: int, index: int, *, setting: Setting = "random", profile: Profile = "corrected"
) -> tuple[Thing, ...]:
    """The things of this video in order of creation, always the same for the same numbers."""
    chance = Chance(np.random.default_rng([seed, number, index, LAYOUT]), setting)
    rng = np.random.default_rng([seed, number, index, LOOKS])
    made: list[Thing] = []
    taken: set[Looks] = set()
    for part in (*FRAME, *LAYOUTS[number](chance)):
        if isinstance(part, Fixed):
            made.append(Thing(0, part.shape, "large", BLACK, (part.x, part.y), part.angle))
            continue
        looks = _looks(part, taken, rng, profile)
        if looks:
            taken.add(looks)
            made.append(_let_go(part, looks))
    if profile == "polygons":
        made = [replace(thing, corners=CORNERS) if thing.outline.radius else thing for thing in made]
    return tuple(replace(thing, uid=len(made) - 1 - place) for place, thing in enumerate(made))


def _let_go(spawn: Spawn, looks: Looks) -> Thing:
    """A thing with its initial state; everything starts rotated by half a turn, so that triangles stand upright and
    eyes are above."""
    return Thing(0, *looks, (spawn.x, spawn.y), math.pi, (spawn.vx, spawn.vy))


def _looks(spawn: Spawn, taken: set[Looks], rng: Generator, profile: Profile) -> Looks | None:
    """Looks unlike those of any other thing in the scene; None if the original leaves the thing out instead."""
    chance = Chance(rng)
    while True:
        looks = (
            spawn.shape or chance.one_of(DYNAMIC_SHAPES),
            spawn.size or chance.one_of(SIZES),
            spawn.colour or chance.one_of(list(COLOURS)),
        )
        if looks not in taken:
            return looks
        if spawn.is_left_out_when_alike and profile != "corrected":
            return None
