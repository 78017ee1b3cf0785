"""Test 5, ObjectPermanence2: screens slide, one over a block, and a rod pushes it out from behind that one or not."""

from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, board, lights_for, room, slide
from scenes.scene import Action, After, Arrived, Body, Glide, Profile, Rule, Scene, Teleport, Vector


@dataclass(frozen=True)
class Sizes:
    """Width of a screen, size of the block, and how far back block and rod are, in metres."""

    screen: float
    block: Vector
    depth: float


MIDDLE = 3.728
SCREEN_WAY, SCREEN_SPEED, GAP = 1.0, 1.0, 2.0  # metres, metres a second, metres between the screens
SCREEN_HEIGHT, SCREEN_DEPTH = 11.975, -0.134
HEIGHT = 11.994  # metres, of block and rod
TOUCHING = 0.15 + 1.0  # metres between the centres of block and rod: half of each
# Published, the screen is too narrow for the block behind it: from the camera a strip of the block stays in view.
SIZES = {
    "faithful": Sizes(screen=0.5, block=(0.3, 0.4, 0.3), depth=0.07),
    "corrected": Sizes(screen=0.65, block=(0.3, 0.4, 0.2), depth=0.02),
}
# By side of the housing: where the inner screen starts, and the rod.
STARTS = {1: (2.914, 5.792), -1: (4.542, 1.664)}


def object_permanence2(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 13.191, -3.650), (MIDDLE, 12.539, -0.130), x=(-0.5, 0.5), height=(-0.5, 0.5))
    delay = chance.delay(rng, 50, 150)
    outer_colour, inner_colour, rod_colour = (chance.strong_colour(rng) for _ in range(3))
    speed = float(rng.uniform(1, 1.5))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    side = -1 if is_mirrored else 1  # of the rod's housing; the screens move towards it
    inner, rod = STARTS[side]
    covered_by = inner if label == "plausible" else inner - side * GAP
    sizes = SIZES[profile]
    screen, upright, behind = (sizes.screen, 1, 0.01), (SCREEN_HEIGHT, SCREEN_DEPTH), (HEIGHT, sizes.depth)
    return Scene(
        test="ObjectPermanence2",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood, side),
            slide("OuterScreen", (inner - side * GAP, *upright), screen, "Shiny", role="screen", colour=outer_colour),
            slide("InnerScreen", (inner, *upright), screen, "Shiny", role="screen", colour=inner_colour),
            slide("Block", (covered_by + side * SCREEN_WAY, *behind), sizes.block, "FabricPattern3",
                  role="block"),
            slide("Rod", (rod, *behind), (2, 0.1, 0.1), "Shiny", role="rod", colour=rod_colour),
        ),
        camera=camera,
        lights=lights_for(camera),
        rules=_rules(label, side, delay, Push(speed, sizes.depth)),
        parameters={"delay": delay, "speed": speed, "wood": wood, "mirrored": int(is_mirrored)},
    )  # fmt: skip


@dataclass(frozen=True)
class Push:
    """How block and rod move."""

    speed: float
    depth: float

    def to(self, name: str, x: float) -> Glide:
        return Glide(name, at(x, HEIGHT, self.depth), self.speed)


def _rules(label: str, side: int, delay: float, push: Push) -> tuple[Rule, ...]:
    inner, rod = STARTS[side]
    covered, shown = inner + side * SCREEN_WAY, inner + side * (SCREEN_WAY - GAP / 2)
    jump: tuple[Action, ...] = (Teleport("Block", at(covered, HEIGHT, push.depth)),) if label == "implausible" else ()
    return (
        Rule(After(delay), (_screen("OuterScreen", inner - side * GAP, side), _screen("InnerScreen", inner, side))),
        Rule(Arrived("InnerScreen"), (*jump, push.to("Rod", covered + side * TOUCHING))),
        Rule(Arrived("Rod"), (push.to("Rod", shown + side * TOUCHING), push.to("Block", shown))),
        Rule(Arrived("Block"), (push.to("Rod", rod),)),
    )


def _screen(name: str, start: float, side: int) -> Glide:
    return Glide(name, at(start + side * SCREEN_WAY, SCREEN_HEIGHT, SCREEN_DEPTH), SCREEN_SPEED)


def _box(wood: str, side: int) -> tuple[Body, ...]:
    return (
        board("Box/ShelfBack", (MIDDLE, 11.789, 0.145), (6.5, 0.01, 0.45), wood, role="floor"),
        board("Box/ShelfFront", (MIDDLE, 11.789, -0.405), (6.5, 0.01, 0.45), wood),
        board("Box/Right", (6.928, 11.534, -0.13), (0.1, 0.5, 1), wood),
        board("Box/Left", (0.528, 11.534, -0.13), (0.1, 0.5, 1), wood),
        board("Box/Bottom", (MIDDLE, 11.279, -0.13), (6.5, 0.01, 1), wood),
        board("Box/Front", (MIDDLE, 11.534, -0.635), (6.5, 0.52, 0.01), wood),
        board("Box/Back", (MIDDLE, 12.794, 0.365), (6.5, 2, 0.01), "Pole"),
        board("Box/Back2", (MIDDLE, 11.534, 0.365), (6.3, 0.5, 0.01), "Pole"),
        board("Housing/Outside", (MIDDLE + side * 3.2, 12.794, -0.14), (0.1, 2, 1), wood),
        board("Housing/Front", (MIDDLE + side * 1.9, 12.794, -0.59), (2.5, 2, 0.1), wood),
        board("Housing/Top", (MIDDLE + side * 1.95, 13.844, -0.14), (2.6, 0.1, 1), wood),
    )
