"""The looks of the materials named in scenes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SurfaceMaterial:
    """Texture, own colour (which the body's colour multiplies) and gloss; `tile` is the texture's size on a plane."""

    texture: str | None = None
    colour: tuple[float, float, float] = (1.0, 1.0, 1.0)
    specular: float = 0.1
    shininess: float = 0.3
    tile: float = 2.0  # metres


WOODS = ("DarkWood", "FineGrainedWood", "Plywood", "Wood02", "Wood04", "WoodPeelingPaint", "WoodTableWorn", "WoodWall")

MATERIALS: dict[str, SurfaceMaterial] = {
    **{name: SurfaceMaterial(name, specular=0.12, shininess=0.3) for name in WOODS},
    "Parquet": SurfaceMaterial("Parquet", specular=0.15, shininess=0.4, tile=2.4),
    "Plaster": SurfaceMaterial("Plaster", specular=0.02, tile=3.0),
    "GreenMetalRust": SurfaceMaterial("GreenMetalRust", specular=0.2, shininess=0.4),
    "FabricPattern3": SurfaceMaterial("FabricPattern3", specular=0.0),
    "Granite": SurfaceMaterial("Granite", specular=0.1, shininess=0.3),
    "Cardboard": SurfaceMaterial("Cardboard", specular=0.0),
    "Cells": SurfaceMaterial("Cells", specular=0.0),
    "Pole": SurfaceMaterial(colour=(0.36, 0.365, 0.37), specular=0.05),
    "Panel": SurfaceMaterial("Panel", colour=(0.42, 0.43, 0.445), specular=0.12, shininess=0.4),
    "Shiny": SurfaceMaterial(specular=0.9, shininess=0.75),
    "matte": SurfaceMaterial(specular=0.15, shininess=0.3),
}

FINER = {"Pole": "Panel"}  # replaces a flat colour in every look except `plain`
