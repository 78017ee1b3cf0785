"""Test 3, SolidityContinuity: a ball rolls towards two barriers and is found at the first or beyond it."""

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, metal, room
from scenes.scene import Action, After, Arrived, Body, Glide, Profile, Scene, TriggeredAction

MIDDLE, PLANK, DEPTH = 3.702, 10.957, 0.118
RADIUS = {"faithful": 0.1, "corrected": 0.145}  # metres
BARRIER = 0.05  # metres thick
START = {1: 1.304, -1: 6.054}  # metres along x, by the ball's direction: where a ball of 0.1 m touches the start box
OCCLUDER_HEIGHT, LOWERING = 0.45, 0.5  # metres, metres a second


def solidity_continuity(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 11.726, -2.735), (MIDDLE, 10.957, DEPTH), x=(-0.5, 0.5), height=(-0.5, 0.5))
    delay, colour, speed = chance.delay(rng, 50, 150), chance.strong_colour(rng), float(rng.uniform(1, 2))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    way = -1 if is_mirrored else 1  # the ball's direction along x
    radius = RADIUS[profile]
    height, start = PLANK + radius, START[way] + way * (radius - 0.1)
    inner = MIDDLE + way * (0.323 + float(rng.uniform(-0.4, 0.4)))
    outer = MIDDLE + way * (2.475 - float(rng.uniform(0, 1)))
    rests_at = {barrier: barrier - way * (BARRIER / 2 + radius) for barrier in (inner, outer)}
    end = rests_at[inner if label == "plausible" else outer]
    return Scene(
        test="SolidityContinuity",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood, way),
            board("InnerBarrier", (inner, 11.382, DEPTH), (BARRIER, 0.85, 0.5), wood, role="barrier"),
            board("OuterBarrier", (outer, 11.382, DEPTH), (BARRIER, 0.85, 0.5), wood, role="barrier"),
            metal("Occluder", (MIDDLE + way, 11.182, -0.137), (3, OCCLUDER_HEIGHT, 0.01)),
            ball("Ball", 2 * radius, (start, height, DEPTH), colour),
        ),
        camera=camera,
        rules=(
            TriggeredAction(After(delay), (Glide("Ball", at(end, height, DEPTH), speed),)),
            _lowering(way, delay + abs(rests_at[outer] - start) / speed, profile),
        ),
        parameters=chance.parameters(delay, speed, wood, is_mirrored, inner=inner, outer=outer),
    )


def _lowering(way: int, until_outer: float, profile: Profile) -> TriggeredAction:
    """Published: when the ball has arrived, which is later in every implausible clip. Corrected: when it could have
    arrived."""
    target = at(MIDDLE + way, 11.182 - OCCLUDER_HEIGHT, -0.137)
    lower: tuple[Action, ...] = (Glide("Occluder", target, LOWERING),)
    return TriggeredAction(Arrived("Ball") if profile == "faithful" else After(until_outer + 0.1), lower)


def _box(wood: str, way: int) -> tuple[Body, ...]:
    """The box with its plank, and the start box in which the ball waits."""
    side = -way
    edge, middle = MIDDLE + side * 2.505, MIDDLE + side * 2.158
    return (
        board("Box/Bottom", (MIDDLE, 10.907, DEPTH), (5, 0.1, 0.5), wood, role="floor"),
        board("Box/Bottom2", (MIDDLE, 10.407, 0.093), (5, 0.1, 0.55), wood),
        board("Box/Right", (6.207, 10.657, 0.093), (0.01, 0.6, 0.55), wood),
        board("Box/Left", (1.197, 10.657, 0.093), (0.01, 0.6, 0.55), wood),
        board("Box/Front", (MIDDLE, 10.657, -0.187), (5.02, 0.6, 0.01), wood),
        board("StartBox/Top", (middle, 11.307, 0.093), (0.69, 0.1, 0.55), wood),
        board("StartBox/Front", (middle, 11.157, -0.187), (0.7, 0.4, 0.01), wood),
        board("StartBox/End", (edge, 11.157, 0.093), (0.01, 0.4, 0.55), wood),
        board("Background", (MIDDLE, 11.082, 0.363), (5.02, 1.45, 0.01), "Pole"),
    )
