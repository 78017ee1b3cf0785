"""A thing on a table and its action, as a scene.

The set is ten times the true size and gravity ten times as strong, so that motion looks as at the true size: the
renderer's shadows and the physics are made for metres.
"""

import math

from numpy.random import Generator

from scenes.scene import After, Body, Box, Cylinder, Glide, Quaternion, Released, Scene, Sphere, TriggeredAction, Vector
from scenes.tapped.composing import KINDS, SCALE, Pose, part_bodies, pose_of, turned_by
from scenes.tapped.rooms import CAMERA, ROOMS, lights_of
from scenes.tapped.things import TappedObject

GRAVITY = (0.0, 0.0, -9.81 * SCALE)
SECONDS = 3.0
FLAT: Quaternion = (1.0, 0.0, 0.0, 0.0)
LYING: Quaternion = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)  # a can on its side, its axis along the view
TIP = 0.24  # diameter of the stick's tip
STICK = (0.10, 0.10, 2.6)
TAPS = (0.45, 1.15, 1.85)  # seconds at which the stick starts to come down
BODY, TIP_NAME = "Object", "Stick/Tip"
STOP_AT = 2.7  # x where a rolling thing is stopped


def scene_of(thing: TappedObject, rng: Generator) -> Scene:
    """The scene of one clip; `rng` draws heights, speeds and a small tilt, which reveal nothing."""
    pose = pose_of(thing, rng)
    bodies, rules, rendered = ACTIONS[thing.action](thing, pose, rng)
    return Scene(
        test="Tapped",
        label=thing.action,
        bodies=(*ROOMS[thing.room](), *bodies, *part_bodies(thing, bodies[0])),
        camera=CAMERA,
        lights=lights_of(thing.light),
        rules=rules,
        parameters=rendered,
        gravity=GRAVITY,
        seconds=SECONDS,
    )


def _body(thing: TappedObject, position: Vector, **more) -> Body:
    kind, (material, colour) = KINDS[thing.hull], thing.surface
    x, y, z = (edge * SCALE for edge in thing.size)
    return kind(
        name=BODY,
        size=(x, y, z),
        position=position,
        role="object",
        material=material,
        colour=colour,
        is_visible=False,
        mass=thing.mass,
        friction=0.4,
        **more,
    )


Made = tuple[tuple[Body, ...], tuple[TriggeredAction, ...], dict[str, float | int | str]]


def _stick(at: Vector) -> tuple[Body, Body]:
    """An upright drumstick whose tip's lowest point is here."""
    x, y, z = at
    tip = Sphere(
        name=TIP_NAME,
        size=(TIP,) * 3,
        position=(x, y, z + TIP / 2),
        role="stick",
        motion="guided",
        material="matte",
        colour=(0.25, 0.25, 0.28),
        is_solid=False,
    )
    shaft = Cylinder(
        name="Stick/Shaft",
        size=STICK,
        position=(x, y, z + TIP + STICK[2] / 2 - 0.05),
        role="stick",
        motion="guided",
        material="FineGrainedWood",
        is_solid=False,
    )
    return tip, shaft


def _glides(parts: tuple[Body, Body], by: Vector, speed: float) -> tuple[Glide, ...]:
    """Glides of both parts of the stick to their first places, shifted by this."""
    return tuple(
        Glide(part.name, (part.position[0] + by[0], part.position[1] + by[1], part.position[2] + by[2]), speed)
        for part in parts
    )


def _tapped(thing: TappedObject, pose: Pose, rng: Generator) -> Made:
    height, speed = float(rng.uniform(0.9, 1.2)), float(rng.uniform(3.5, 5.0))
    middle = thing.size[2] * SCALE / 2
    x, y, z = pose.tapped_at
    parts = _stick((x, y, middle + z + height))
    rules = [TriggeredAction(After(start), _glides(parts, (0.0, 0.0, -height), speed)) for start in TAPS]
    # Each downstroke ends on the surface, and the stick goes up again at once.
    rules += [
        TriggeredAction(
            After(start + math.ceil(height / speed / 0.02) * 0.02 + 0.02), _glides(parts, (0.0, 0.0, 0.0), speed)
        )
        for start in TAPS
    ]
    body = _body(thing, (0.0, 0.0, middle), motion="still", orientation=pose.turn)
    return (body, *parts), tuple(rules), {"height": height, "speed": speed}


def _dropped(thing: TappedObject, pose: Pose, rng: Generator) -> Made:
    height, tilt = float(rng.uniform(1.7, 2.2)), float(rng.uniform(2.0, 6.0))
    half = math.radians(tilt) / 2
    tilted: Quaternion = (math.cos(half), 0.0, math.sin(half), 0.0)
    body = _body(
        thing,
        (0.0, 0.0, height + thing.size[2] * SCALE / 2),
        motion="free",
        is_held=True,
        orientation=turned_by(tilted, pose.turn),
        bounce=thing.made_of.bounce,
    )
    return (body,), (TriggeredAction(After(0.5), (Released(BODY),)),), {"height": height, "tilt": tilt}


def _scraped(thing: TappedObject, pose: Pose, rng: Generator) -> Made:
    """A thing pushed to and fro by the stick that stands on it."""
    reach, speed = float(rng.uniform(1.7, 2.1)), float(rng.uniform(2.8, 3.6))
    middle = thing.size[2] * SCALE / 2
    x, y, z = pose.tapped_at
    body = _body(thing, (-reach, 0.0, middle), motion="guided", orientation=pose.turn)
    parts = _stick((x - reach, y, middle + z))
    rules = []
    for number, start in enumerate((0.3, 0.3 + 2 * reach / speed + 0.15)):
        to = 2 * reach if number == 0 else 0.0
        target = (-reach + to, 0.0, middle)
        rules.append(
            TriggeredAction(After(start), (Glide(BODY, target, speed), *_glides(parts, (to, 0.0, 0.0), speed)))
        )
    return (body, *parts), tuple(rules), {"reach": reach, "speed": speed}


def _rolled(thing: TappedObject, pose: Pose, rng: Generator) -> Made:
    speed, start = float(rng.uniform(3.6, 4.4)), -3.4
    is_lying = thing.hull == "cylinder"
    turn = LYING if is_lying else FLAT
    height = (thing.size[0] if is_lying else thing.size[2]) * SCALE / 2
    body = _body(thing, (start, 0.0, height + 0.001), motion="free", is_held=True, orientation=turn)
    stop = Box(name="Stop", size=(0.3, 2.4, 0.8), position=(STOP_AT, 0.0, 0.4), material="DarkWood", role="stop")
    return (body, stop), (TriggeredAction(After(0.3), (Released(BODY, (speed, 0.0, 0.0)),)),), {"speed": speed}


ACTIONS = {"tapped": _tapped, "dropped": _dropped, "scraped": _scraped, "rolled": _rolled}
