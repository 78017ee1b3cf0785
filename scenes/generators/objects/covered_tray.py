"""The tray of tests 12 and 16, seen from above: a ball runs to a corner under a cover, which then slides away."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, metal, room
from scenes.scene import Action, After, Arrived, Body, Camera, Colour, Glide, Plane, Profile, TriggeredAction, Vector

MIDDLE = -8.630  # metres: depth of the tray's middle
BASE = (3.833, 15.774, MIDDLE)
RADIUS = 0.15  # metres, as published; the places below are those of such a ball
START, HEIGHT, REACH = 6.762, 10.474, 2.179  # metres: of the ball; how far from the middle it may start
END, CORNER = 2.333, 2.25  # metres: x of a ball in a corner, and its distance from the middle
EDGE, COVER = 2.083, 10.829  # metres: the cover's x at the wall, and its height
OPENING = 0.5  # metres a second
SLOWED = 0.75  # share of its first speed that the ball has at the corner, as in the paper


@dataclass(frozen=True)
class TrayDraw:
    """The values that every clip in the tray draws first, in this order."""

    camera: Camera
    delay: float
    colour: Colour
    speed: float
    tints: tuple[Colour, ...]
    wood: str
    offset: float  # metres from the middle to the ball's start
    radius: float = RADIUS  # of the ball

    @classmethod
    def of(cls, rng: Generator) -> "TrayDraw":
        camera = chance.camera(rng, BASE, (BASE[0], 10.274, BASE[2]), x=(-0.5, 0.5), depth=(-0.5, 0.5))
        delay, colour, speed = chance.delay(rng, 0, 100), chance.strong_colour(rng), float(rng.uniform(1.5, 2.5))
        tints, wood = tuple(chance.wall_tint(rng) for _ in range(4)), chance.wood(rng)
        return cls(camera, delay, colour, speed, tints, wood, float(rng.uniform(-REACH, REACH)))

    def starting(self, offset: float) -> "TrayDraw":
        return replace(self, offset=offset)

    @property
    def height(self) -> float:
        return HEIGHT + self.radius - RADIUS

    def stage(self, cover: float) -> tuple[Body, ...]:
        """Room, tray, ball and a cover of this depth, without a test's own bodies."""
        return (
            *room(self.tints[0], others=self.tints[1:]),
            *_tray(self.wood),
            metal("EndCover", (EDGE + cover / 2, COVER, MIDDLE), (cover, 0.01, 4.8), role="cover"),
            ball("Ball", 2 * self.radius, (START, self.height, MIDDLE + self.offset), self.colour),
        )

    def parameters(self, **more: float | int | str) -> dict[str, float | int | str]:
        return {"delay": self.delay, "speed": self.speed, "wood": self.wood, "offset": self.offset, **more}

    def rolling(self, target: float, profile: Profile) -> TriggeredAction:
        """Roll the ball to the tray's end, at this offset from the middle. Published: at constant speed; paper: slowing
        down."""
        end = spot(target, self.radius)
        length = ((START - END) ** 2 + (target - self.offset) ** 2) ** 0.5
        braking = 0.0 if profile == "faithful" else -(1 - SLOWED**2) * self.speed**2 / (2 * length)
        return TriggeredAction(After(self.delay), (Glide("Ball", end, self.speed, braking),))


def spot(offset: float, radius: float = RADIUS) -> Vector:
    """Where a ball rests at the end of the tray, at this offset from the middle."""
    return at(END + radius - RADIUS, HEIGHT + radius - RADIUS, MIDDLE + offset)


def opening(cover: float, *also: Action) -> TriggeredAction:
    """Slide the cover away by its own depth when the ball has arrived."""
    away = Glide("EndCover", at(EDGE - cover / 2, COVER, MIDDLE), OPENING)
    return TriggeredAction(Arrived("Ball"), (*also, away))


def line() -> Plane:
    """The white line along the middle."""
    return Plane(name="Box/Line", size=(4.6, 0.1, 0), position=at(4.49, 10.327, MIDDLE), role="line")


def _tray(wood: str) -> tuple[Body, ...]:
    """The tray and, beyond its end, the housing into which the cover slides."""
    return (
        board("Box/Bottom", (4.583, 10.274, MIDDLE), (5, 0.1, 5), "Pole", role="floor"),
        board("Box/Wall1", (4.583, 10.574, -11.08), (5, 0.5, 0.1), wood, role="side"),
        board("Box/Wall2", (4.583, 10.574, -6.18), (5, 0.5, 0.1), wood, role="side"),
        board("Box/Wall3", (7.033, 10.574, MIDDLE), (0.1, 0.5, 4.8), wood),
        board("Box/Wall4", (2.133, 10.574, MIDDLE), (0.1, 0.5, 4.8), wood, role="wall"),
        board("Box/StartCover", (6.583, 10.829, MIDDLE), (1, 0.01, 5), wood, role="curtain"),
        board("Housing/Bottom", (1.333, 10.274, MIDDLE), (1.5, 0.1, 5), wood),
        board("Housing/Wall1", (1.333, 10.624, -11.08), (1.5, 0.6, 0.1), wood),
        board("Housing/Wall2", (1.333, 10.624, -6.18), (1.5, 0.6, 0.1), wood),
        board("Housing/End", (0.633, 10.624, MIDDLE), (0.1, 0.6, 4.8), wood),
        board("Housing/Top", (1.333, 10.929, MIDDLE), (1.5, 0.01, 5), wood),
    )
