"""The objects and their properties."""

import math
from dataclasses import dataclass

from scenes.scene import Colour, Vector
from scenes.tapped.materials import MATERIALS, AcousticMaterial
from scenes.tapped.shapes import named_shape

STAGING = 2  # of new objects: named shapes; objects of the first staging are plain solids

# Edge lengths of each shape with volume 1, so that a material weighs the same in every shape.
PROPORTIONS: dict[str, Vector] = {
    "ball": ((6 / math.pi) ** (1 / 3),) * 3,
    "block": (1.0, 1.0, 1.0),
    "slab": (1.60, 1.30, 1 / (1.60 * 1.30)),
    "bar": (2.40, 0.65, 1 / (2.40 * 0.65)),
    "can": (0.90, 0.90, 4 / (math.pi * 0.90**2)),
    "disc": (1.70, 1.70, 4 / (math.pi * 1.70**2)),
}
ROUND = {"ball": 2, "can": 1, "bottle": 1}  # how well it rolls


@dataclass(frozen=True)
class TappedObject:
    """One object and its action; `edge` is the cube root of its volume in metres."""

    key: str
    material: str
    shape: str
    edge: float
    colour: Colour  # of the paint; an unpainted thing shows its material
    is_painted: bool
    action: str  # tapped, dropped, scraped or rolled
    group: int
    split: str

    @property
    def made_of(self) -> AcousticMaterial:
        return MATERIALS[self.material]

    @property
    def size(self) -> Vector:
        """Edge lengths in metres."""
        x, y, z = PROPORTIONS[self.shape]
        return (x * self.edge, y * self.edge, z * self.edge)

    @property
    def mass(self) -> float:
        """Kilograms; all objects are solid."""
        return self.made_of.density * self.edge**3

    @property
    def hull(self) -> str:
        """Kind of the solid body."""
        return {"ball": "sphere", "can": "cylinder", "disc": "cylinder"}.get(self.shape, "box")

    @property
    def surface(self) -> tuple[str, Colour]:
        """Its surface material and colour in the picture."""
        return ("matte", self.colour) if self.is_painted else (self.made_of.surface, self.made_of.colour)

    @property
    def look(self) -> tuple[str, Colour | str]:
        """Its distinguishing features in the picture."""
        return self.shape, self.colour if self.is_painted else self.material

    @property
    def staging(self) -> int:
        return 1


@dataclass(frozen=True)
class NamedObject(TappedObject):
    """An object of a shape that people name, in one of the rooms and lights; all objects of a group share both."""

    room: str = ""
    light: str = ""

    @property
    def size(self) -> Vector:
        """Edge lengths of the hull in metres."""
        x, y, z = named_shape(self.shape).size
        return (x * self.edge, y * self.edge, z * self.edge)

    @property
    def hull(self) -> str:
        return named_shape(self.shape).hull

    @property
    def staging(self) -> int:
        return STAGING
