"""The objects and their properties."""

from dataclasses import dataclass

from scenes.scene import Colour, Vector
from scenes.tapped.materials import MATERIALS, AcousticMaterial
from scenes.tapped.shapes import named_shape

ROUND = {"ball": 2, "can": 1, "bottle": 1}  # how well it rolls


@dataclass(frozen=True)
class TappedObject:
    """One object and its action; `edge` is the cube root of its volume in metres.

    Its shape is one that people name; all objects of a group share room and light.
    """

    key: str
    material: str
    shape: str
    edge: float
    colour: Colour  # of the paint; an unpainted thing shows its material
    is_painted: bool
    action: str  # tapped, dropped, scraped or rolled
    group: int
    split: str
    room: str
    light: str

    @property
    def made_of(self) -> AcousticMaterial:
        return MATERIALS[self.material]

    @property
    def size(self) -> Vector:
        """Edge lengths of the hull in metres."""
        x, y, z = named_shape(self.shape).size
        return (x * self.edge, y * self.edge, z * self.edge)

    @property
    def mass(self) -> float:
        """Kilograms; all objects are solid."""
        return self.made_of.density * self.edge**3

    @property
    def hull(self) -> str:
        """Kind of the solid body."""
        return named_shape(self.shape).hull

    @property
    def surface(self) -> tuple[str, Colour]:
        """Its surface material and colour in the picture."""
        return ("matte", self.colour) if self.is_painted else (self.made_of.surface, self.made_of.colour)

    @property
    def look(self) -> tuple[str, Colour | str]:
        """Its distinguishing features in the picture."""
        return self.shape, self.colour if self.is_painted else self.material
