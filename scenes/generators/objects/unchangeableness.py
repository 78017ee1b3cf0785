"""Test 1, Unchangeableness: a screen rises in front of some objects, and behind it one of them changes or none does."""

from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, board, metal, room
from scenes.scene import (
    After,
    Arrived,
    Body,
    Box,
    Colour,
    Glide,
    Hide,
    Profile,
    Recolour,
    Scene,
    Show,
    Sphere,
    TriggeredAction,
)

MIDDLE, HEIGHT, EDGE = 3.811, 11.378, 0.3  # metres: middle of the platform; height and size of the objects
SPOTS = (
    (2.907, -0.127),
    (3.368, -0.639),
    (4.2, -0.229),
    (4.702, -0.784),
    (4.189, -1.243),
    (3.437, -1.243),
    (2.799, -1.403),
)
MOST = 3  # objects
RISING = 0.5  # metres a second
WHITE: Colour = (1.0, 1.0, 1.0)
SHAPES: tuple[type[Body], type[Body]] = (Sphere, Box)


@dataclass(frozen=True)
class Cover:
    """The screen: its height and depth, the height of its middle when raised, and the seconds until it starts."""

    height: float
    depth: float
    top: float
    delay: float


@dataclass(frozen=True)
class ObjectChange:
    """The object that changes and its new colour; None for another shape."""

    target: int
    colour: Colour | None


def unchangeableness(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 12.347, -3.345), (MIDDLE, 11.699, -0.130), x=(-0.5, 0.5), depth=(-0.5, 0))
    cover = _cover(rng, label, profile)
    tint, wood = chance.wall_tint(rng), chance.wood(rng)
    things = _objects(rng)
    change = _change(rng, things, profile)
    other = _substitute(things[change.target], profile)
    return Scene(
        test="Unchangeableness",
        label=label,
        bodies=(
            *room(tint),
            *_cabinet(wood),
            metal("Cover", (MIDDLE, cover.top - cover.height, cover.depth), (2.8, cover.height, 0.01)),
            *things,
            other,
        ),
        camera=camera,
        rules=_rules(cover, things[change.target].name, change, is_changed=label == "implausible"),
        parameters={
            "delay": cover.delay,
            "wood": wood,
            "height": cover.height,
            "objects": len(things),
            "target": change.target,
            "change": "shape" if change.colour is None else "colour",
        },
    )


def _cover(rng: Generator, label: str, profile: Profile) -> Cover:
    """Published: the implausible screen is higher and starts at once. Corrected: height and delay give nothing away."""
    delay, height = chance.delay(rng, 50, 250), float(rng.uniform(0.8, 1.0))
    if profile == "faithful":
        return Cover(0.8, -1.598, 11.615, delay) if label == "plausible" else Cover(1.0, -1.585, 11.728, 0.0)
    return Cover(height, -1.598, 11.228 + height / 2, delay)


def _objects(rng: Generator) -> tuple[Body, ...]:
    """Up to three objects: the first spot is always taken, each later one with even odds."""
    things: list[Body] = []
    for number, (x, depth) in enumerate(SPOTS):
        if number and (len(things) == MOST or not rng.integers(2)):
            continue
        shape, colour = SHAPES[int(rng.integers(2))], chance.strong_colour(rng)
        things.append(
            shape(
                name=f"Object{len(things) + 1}",
                size=(EDGE,) * 3,
                position=at(x, HEIGHT, depth),
                colour=colour,
                material="Shiny",
                role="object",
            )
        )
    return tuple(things)


def _change(rng: Generator, things: tuple[Body, ...], profile: Profile) -> ObjectChange:
    """The change, drawn for both answers. Published: to white, or to a cube, which changes nothing if it was one."""
    target = int(rng.integers(len(things)))
    if profile == "faithful":  # each object in turn is passed over with a chance of a third, until one is chosen
        target = (int(rng.geometric(2 / 3)) - 1) % len(things)
    is_recoloured = bool(rng.integers(2))
    colour = WHITE if profile == "faithful" else chance.other_colour(rng, things[target].colour)
    return ObjectChange(target, colour if is_recoloured else None)


def _substitute(thing: Body, profile: Profile) -> Body:
    """An invisible body in the place of the object that may change its shape."""
    shape = Sphere if profile != "faithful" and isinstance(thing, Box) else Box
    return shape(
        name="Substitute",
        size=thing.size,
        position=thing.position,
        colour=thing.colour,
        material=thing.material,
        role="substitute",
        is_visible=False,
    )


def _rules(cover: Cover, target: str, change: ObjectChange, *, is_changed: bool) -> tuple[TriggeredAction, ...]:
    up, down = (
        Glide("Cover", at(MIDDLE, height, cover.depth), RISING) for height in (cover.top, cover.top - cover.height)
    )
    changing = (Hide(target), Show("Substitute")) if change.colour is None else (Recolour(target, change.colour),)
    return (
        TriggeredAction(After(cover.delay), (up,)),
        TriggeredAction(Arrived("Cover"), ((*changing, down) if is_changed else (down,))),
    )


def _cabinet(wood: str) -> tuple[Body, ...]:
    return (
        board("Box/Bottom", (MIDDLE, 10.176, -0.63), (3, 0.1, 2), wood),
        board("Box/Left", (2.361, 11.726, -0.63), (0.1, 3, 2), wood),
        board("Box/Right", (5.261, 11.726, -0.63), (0.1, 3, 2), wood),
        board("Box/Back", (MIDDLE, 11.726, 0.32), (2.8, 3, 0.1), "Pole"),
        board("Box/Front", (MIDDLE, 10.726, -1.625), (2.8, 1, 0.01), wood),
        board("Box/Platform", (MIDDLE, 11.223, -0.655), (2.8, 0.01, 1.85), wood, role="floor"),
    )
