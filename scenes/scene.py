"""The vocabulary of made stimuli: the bodies of a scene, the rules that move them, the camera.

Lengths are metres, times are seconds, masses are kilograms. x points right, y away from the side-view camera, z up.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]  # w, x, y, z
Colour = tuple[float, float, float]  # red, green, blue, each from 0 to 1

STEP = 0.02  # seconds between two recorded states
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
NO_TINT: Colour = (1.0, 1.0, 1.0)

Motion = Literal["still", "guided", "free"]
"""still: part of the room; guided: moved by rules alone; free: moved by gravity and contacts."""

Profile = Literal["corrected", "faithful", "polygons"]
"""corrected: the published test with its defects mended, and everything that tells large and long enough to be seen;
faithful: with its quirks; polygons: faithful with the corners that CRAFT's circles have."""

PROFILES: tuple[Profile, ...] = ("corrected", "faithful")  # selectable profiles

Look = Literal["classic", "cinema", "plain"]
"""How a clip is drawn, which changes nothing that happens in it. classic: soft shadows, light from all of the ceiling;
cinema: by MuJoCo's Filament renderer; plain: one sun with hard shadows, in one pass."""

LOOKS: tuple[Look, ...] = ("classic", "cinema", "plain")
LOOK: Look = "classic"  # unless another is chosen


@dataclass(frozen=True, kw_only=True)
class Body:
    """One thing in the scene; the audit finds it by `role`, its part in the test."""

    shape: ClassVar[str]

    name: str
    size: Vector  # full edge lengths along the body's own axes
    position: Vector
    role: str = "furniture"
    orientation: Quaternion = UPRIGHT
    colour: Colour = NO_TINT  # multiplies the material's texture
    material: str = "matte"
    motion: Motion = "still"
    is_solid: bool = True
    is_visible: bool = True
    is_held: bool = False  # a free body that does not move until it is `Released`
    mass: float = 1.0
    friction: float = 0.6  # two bodies in contact use the mean of their values
    bounce: float = 0.0  # share of the speed after a collision; the larger of two bodies' values counts


@dataclass(frozen=True, kw_only=True)
class Box(Body):
    shape: ClassVar[str] = "box"


@dataclass(frozen=True, kw_only=True)
class Sphere(Body):
    """A ball; all three sizes are its diameter."""

    shape: ClassVar[str] = "sphere"


@dataclass(frozen=True, kw_only=True)
class Cylinder(Body):
    """Stands along its own z axis; its first two sizes are its diameter."""

    shape: ClassVar[str] = "cylinder"


@dataclass(frozen=True, kw_only=True)
class Plane(Body):
    """A floor or a wall without thickness, seen from its own +z side; its third size is 0."""

    shape: ClassVar[str] = "plane"
    is_solid: bool = False


@dataclass(frozen=True)
class Camera:
    """Looks from `position` at `focus`; `up` points upwards in the picture."""

    position: Vector
    focus: Vector
    up: Vector = (0.0, 0.0, 1.0)
    height_angle: float = 70.0  # vertical field of view in degrees


@dataclass(frozen=True)
class Light:
    """Shines in parallel along `direction`; only the sun throws shadows."""

    direction: Vector
    colour: Colour
    is_sun: bool = False


# --- when something happens ---


@dataclass(frozen=True)
class After:
    seconds: float


@dataclass(frozen=True)
class Arrived:
    """The body's last glide has reached its target, or its last swing is over."""

    body: str


@dataclass(frozen=True)
class Near:
    body: str
    point: Vector
    distance: float


@dataclass(frozen=True)
class Slow:
    """A released body's speed has fallen to this, in metres a second."""

    body: str
    speed: float


Trigger = After | Arrived | Near | Slow


# --- what then happens ---


@dataclass(frozen=True)
class Glide:
    """Move a guided body straight to the target, never beyond it."""

    body: str
    target: Vector
    speed: float  # metres a second at the start
    acceleration: float = 0.0  # metres a second squared; negative slows down


@dataclass(frozen=True)
class Swing:
    """Turn a guided body about a fixed axis, counter-clockwise as seen from the axis's tip."""

    body: str
    hinge: Vector  # a point on the axis
    axis: Vector
    degrees: float
    speed: float  # degrees a second


@dataclass(frozen=True)
class Released:
    """Leave a held body to the forces, at this velocity in metres a second."""

    body: str
    velocity: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Hold:
    """Stop a free body where it is, against gravity and every push."""

    body: str


@dataclass(frozen=True)
class Recolour:
    body: str
    colour: Colour


@dataclass(frozen=True)
class Teleport:
    body: str
    target: Vector


@dataclass(frozen=True)
class Show:
    body: str


@dataclass(frozen=True)
class Hide:
    """Remove the body from the scene; a guided one keeps moving."""

    body: str


Action = Glide | Swing | Released | Hold | Recolour | Teleport | Show | Hide


@dataclass(frozen=True)
class TriggeredAction:
    """Carried out once, before the first step at which the trigger holds."""

    when: Trigger
    then: tuple[Action, ...]


def _usual_lights(camera: Camera) -> tuple[Light, ...]:
    """Fill light from the viewer's right and a sun from above the viewer's left, so that all shadows are visible."""
    forward = np.subtract(camera.focus, camera.position)
    heading = np.array([forward[0], forward[1], 0.0])
    if np.linalg.norm(heading) < 1e-6:  # looking straight down: the picture's upward direction is the heading
        heading = np.array(camera.up, dtype=float)
    heading /= np.linalg.norm(heading)
    right = np.array([heading[1], -heading[0], 0.0])
    down = np.array([0.0, 0.0, -1.0])
    return (
        Light(_direction(-0.6 * right + 0.8 * heading + 0.25 * down), (0.32, 0.33, 0.35)),
        Light(_direction(0.42 * right + 0.62 * heading + 0.9 * down), (0.52, 0.50, 0.46), is_sun=True),
    )


def _direction(vector: np.ndarray) -> Vector:
    x, y, z = vector / np.linalg.norm(vector)
    return (float(x), float(y), float(z))


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Everything that a clip is made from; the audit checks `label`, the intended answer, against the motion."""

    test: str  # name of the test, without its answer
    label: str
    bodies: tuple[Body, ...]
    camera: Camera
    lights: tuple[Light, ...] = ()  # the usual ones before this camera, if none are given
    rules: tuple[TriggeredAction, ...] = ()
    parameters: dict[str, float | int | str] = field(default_factory=dict)  # every value that was drawn
    gravity: Vector = (0.0, 0.0, -9.81)
    seconds: float = 10.0

    def __post_init__(self) -> None:
        if not self.lights:
            object.__setattr__(self, "lights", _usual_lights(self.camera))
