"""Simulates things with Box2D, also with one of them removed; the same things always give the same run.

Circles are Box2D's own; the original uses polygons with 128 corners, which rattle when they roll. Profile `polygons`
has them too, and needs its own build of Box2D (docker/box2d-polygons.sh): the published wheel allows 16.
"""

from dataclasses import replace
from typing import Any

import Box2D
import numpy as np
from numpy.random import Generator

from scenes.craft.world.catalogue import DENSITY, FRICTION, RESTITUTION, SENSOR, Outline
from scenes.craft.world.run import RATE, STEPS, Case, ContactTracker, SimulatedRun, Thing
from scenes.scene import Profile

GRAVITY = (0.0, -15.0)  # metres a second squared
VELOCITY_ITERATIONS, POSITION_ITERATIONS = 8, 3
SENSING = 0x42  # collision category of a basket's sensor


class TooManyCorners(ValueError):
    """Box2D was built for fewer; the message says how many."""


def simulate(things: tuple[Thing, ...], *, keeps_poses: bool = False) -> SimulatedRun:
    """Run the simulation; the order of the things must be that of their creation, as it influences the solver."""
    watch = ContactTracker()
    ear = _Ear(watch)  # keeps a reference: Box2D holds none
    world = Box2D.b2World(gravity=GRAVITY, doSleep=True, contactListener=ear)
    world.warmStarting, world.continuousPhysics, world.subStepping = True, True, False
    bodies = [_body(world, thing) for thing in things]
    free = [body for body, thing in zip(bodies, things, strict=True) if thing.is_dynamic]
    start = _states(things, bodies)
    poses = np.zeros((STEPS if keeps_poses else 0, len(free), 3))
    for step in range(STEPS):
        world.Step(1 / RATE, VELOCITY_ITERATIONS, POSITION_ITERATIONS)
        if keeps_poses:
            poses[step] = [(*body.position, body.angle) for body in free]
        # The original stops at the last step before it checks how long contacts have lasted.
        if step + 1 < STEPS:
            watch.tick()
    return SimulatedRun(start, _states(things, bodies), tuple(watch.events), poses if keeps_poses else None)


def refuse_corners(count: int) -> None:
    """Raise TooManyCorners if Box2D was built for fewer."""
    if count > (most := Box2D.b2_maxPolygonVertices):
        raise TooManyCorners(f"circles of {count} corners: this Box2D takes {most}, and `make polygons` builds another")


class _Ear(Box2D.b2ContactListener):
    """Reports contacts to the tracker, keyed by fixtures and edges: a basket's three sides are three contacts."""

    def __init__(self, watch: ContactTracker) -> None:
        super().__init__()
        self.watch = watch

    def BeginContact(self, contact: Any) -> None:
        one, other = contact.fixtureA, contact.fixtureB
        first, second = one.body.userData, other.body.userData
        if one.sensor or other.sensor:
            basket, thing = (first, second) if one.filterData.categoryBits == SENSING else (second, first)
            self.watch.enter(basket, thing)
        else:
            self.watch.begin((first, contact.childIndexA, second, contact.childIndexB), (first, second))

    def EndContact(self, contact: Any) -> None:
        one, other = contact.fixtureA, contact.fixtureB
        if not (one.sensor or other.sensor):
            key = (one.body.userData, contact.childIndexA, other.body.userData, contact.childIndexB)
            self.watch.end(key)


def _body(world: Any, thing: Thing) -> Any:
    make = world.CreateDynamicBody if thing.is_dynamic else world.CreateStaticBody
    place = {"position": thing.position, "angle": thing.angle, "userData": thing.uid}
    moves = {"linearVelocity": thing.velocity, "angularVelocity": thing.spin} if thing.is_dynamic else {}
    body = make(**place, **moves)
    body.CreateFixture(shape=_shape(thing.outline), density=DENSITY, friction=FRICTION, restitution=RESTITUTION)
    if thing.shape == "basket":
        sensor = world.CreateStaticBody(**place)
        sensor.CreateFixture(shape=_shape(SENSOR), isSensor=True, categoryBits=SENSING)
    return body


def _shape(outline: Outline) -> Any:
    if outline.radius:
        return Box2D.b2CircleShape(radius=outline.radius)
    if outline.is_chain:
        return Box2D.b2ChainShape(vertices_chain=list(outline.points))
    refuse_corners(len(outline.points))
    return Box2D.b2PolygonShape(vertices=list(outline.points))


def _states(things: tuple[Thing, ...], bodies: list[Any]) -> tuple[Thing, ...]:
    """The states in the engine's single precision; a new run from them would be the same."""
    return tuple(
        replace(
            thing,
            position=tuple(body.position),
            angle=body.angle,
            velocity=tuple(body.linearVelocity),
            spin=body.angularVelocity,
            is_awake=body.awake,
        )
        for thing, body in zip(things, bodies, strict=True)
    )


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


def perturbed(things: tuple[Thing, ...], rng: Generator) -> tuple[Thing, ...]:
    return tuple(_shaken(thing, NOISE * float(rng.uniform(-1, 1))) if thing.is_dynamic else thing for thing in things)


def _shaken(thing: Thing, share: float) -> Thing:
    """Scale angle and velocity by this share; a thing that moves sideways is also shifted along the diagonal."""
    vx, vy = (speed * (1 + share) for speed in thing.velocity)
    shift = 10 * share * thing.velocity[0] / vx if vx else 0.0
    x, y = thing.position
    return replace(thing, angle=thing.angle * (1 + share), velocity=(vx, vy), position=(x + shift, y + shift))
