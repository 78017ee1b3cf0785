"""Things -> a video's run with its variations; each variation removes one thing. Optionally with a little noise."""

from dataclasses import replace

from numpy.random import Generator

from scenes.craft.world.physics import simulate
from scenes.craft.world.run import Case
from scenes.craft.world.thing import Thing
from scenes.scene import Profile

NOISE = 0.02


def case_of(things: tuple[Thing, ...], *, keeps_poses: bool = False) -> Case:
    original = simulate(things, keeps_poses=keeps_poses)
    return Case(original, {thing.uid: simulate(removed(things, thing.uid)) for thing in original.dynamic})


def removed(things: tuple[Thing, ...], uid: int) -> tuple[Thing, ...]:
    """All things but this one; the others keep their ids and order."""
    return tuple(thing for thing in things if thing.uid != uid)


def perturbed_case(things: tuple[Thing, ...], rng: Generator, profile: Profile) -> Case:
    """The case after noise; in the original code each variation gets further noise."""
    shaken = perturbed(things, rng)
    if profile == "corrected":
        return case_of(shaken)
    gone = {thing.uid: removed(shaken, thing.uid) for thing in shaken if thing.is_dynamic}
    return Case(simulate(shaken), {uid: simulate(perturbed(rest, rng)) for uid, rest in gone.items()})


def perturbed(things: tuple[Thing, ...], rng: Generator, amount: float = NOISE) -> tuple[Thing, ...]:
    return tuple(_shaken(thing, amount * float(rng.uniform(-1, 1))) if thing.is_dynamic else thing for thing in things)


def _shaken(thing: Thing, share: float) -> Thing:
    """Scale angle and velocity by this share; a thing that moves sideways is also shifted along the diagonal."""
    vx, vy = (speed * (1 + share) for speed in thing.velocity)
    shift = 10 * share * thing.velocity[0] / vx if vx else 0.0
    x, y = thing.position
    return replace(thing, angle=thing.angle * (1 + share), velocity=(vx, vy), position=(x + shift, y + shift))
