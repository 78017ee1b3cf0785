"""The objects, and the ten materials: rounded handbook values that decide the answers and make the sounds."""

from dataclasses import dataclass

from scenes.scene import Colour, Vector
from scenes.tapped.shapes import named_shape


@dataclass(frozen=True)
class AcousticMaterial:
    """Density in kg/m³, Young's modulus in Pa, loss factor (damping), conductivity in W/(m K); the rest from 0 to 1."""

    name: str
    density: float
    stiffness: float
    loss: float
    conductivity: float
    friction: float
    bounce: float  # share of its speed after it falls on wood
    brittle: float = 0.0
    absorbs: float = 0.0
    burns: float = 0.0
    soft: float = 0.0  # how far it yields under a thumb
    roughness: float = 0.5  # brightness of the scraping noise
    surface: str = "matte"  # its look without paint
    colour: Colour = (1.0, 1.0, 1.0)


MATERIALS = {
    one.name: one
    for one in (
        AcousticMaterial("wood", 650, 1.1e10, 0.016, 0.15, 0.40, 0.35, absorbs=0.3, burns=0.6, roughness=0.6,
                 surface="FineGrainedWood"),
        AcousticMaterial("metal", 7800, 2.0e11, 0.0006, 50.0, 0.30, 0.45, roughness=0.3, surface="Shiny",
                 colour=(0.62, 0.63, 0.66)),
        AcousticMaterial("glass", 2500, 7.0e10, 0.0022, 1.0, 0.25, 0.40, brittle=1.0, roughness=0.1, surface="Shiny",
                 colour=(0.62, 0.82, 0.80)),
        AcousticMaterial("ceramic", 2350, 5.5e10, 0.0050, 1.5, 0.30, 0.35, brittle=1.0, roughness=0.4, surface="Shiny",
                 colour=(0.95, 0.93, 0.88)),
        AcousticMaterial("plastic", 1200, 2.3e9, 0.045, 0.2, 0.30, 0.50, burns=0.4, roughness=0.25, surface="Shiny",
                 colour=(0.90, 0.35, 0.20)),
        AcousticMaterial("rubber", 1150, 2.0e7, 0.16, 0.16, 0.80, 0.75, burns=0.3, soft=0.5, roughness=0.5,
                 colour=(0.13, 0.13, 0.14)),
        AcousticMaterial("foam", 40, 1.0e6, 0.30, 0.035, 0.60, 0.15, absorbs=0.9, burns=0.7, soft=1.0, roughness=0.7,
                 surface="Cells", colour=(0.96, 0.88, 0.45)),
        AcousticMaterial("paper", 500, 2.5e9, 0.12, 0.06, 0.45, 0.15, absorbs=0.8, burns=1.0, soft=0.3, roughness=0.8,
                 surface="Cardboard"),
        AcousticMaterial("stone", 2650, 5.0e10, 0.015, 2.5, 0.50, 0.30, roughness=1.0, surface="Granite"),
        AcousticMaterial("textile", 250, 2.0e5, 0.45, 0.05, 0.70, 0.05, absorbs=1.0, burns=0.9, soft=0.9, roughness=0.3,
                 surface="FabricPattern3"),
    )
}  # fmt: skip


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
