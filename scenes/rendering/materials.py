"""What the materials named in a scene look like."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Material:
    """Texture, own colour (which the body's colour multiplies) and gloss; `tile` is the texture's size on a plane."""

    texture: str | None = None
    colour: tuple[float, float, float] = (1.0, 1.0, 1.0)
    specular: float = 0.1
    shininess: float = 0.3
    tile: float = 2.0  # metres


WOODS = (
    "DarkWood", "FineGrainedWood", "Plywood", "Wood02", "Wood04", "WoodPeelingPaint", "WoodTableWorn", "WoodWall",
)  # fmt: skip

MATERIALS: dict[str, Material] = {
    **{name: Material(name, specular=0.12, shininess=0.3) for name in WOODS},
    "Parquet": Material("Parquet", specular=0.15, shininess=0.4, tile=2.4),
    "Plaster": Material("Plaster", specular=0.02, tile=3.0),
    "GreenMetalRust": Material("GreenMetalRust", specular=0.2, shininess=0.4),
    "FabricPattern3": Material("FabricPattern3", specular=0.0),
    "Granite": Material("Granite", specular=0.1, shininess=0.3),
    "Cardboard": Material("Cardboard", specular=0.0),
    "Cells": Material("Cells", specular=0.0),
    "Pole": Material(colour=(0.36, 0.365, 0.37), specular=0.05),
    "Shiny": Material(specular=0.9, shininess=0.75),
    "matte": Material(specular=0.15, shininess=0.3),
}
