"""Maps PACS' records of objects and questions to the categories that the paper reports. Pure functions.

The release's own strings are kept, too: annotators typed them, and grouping them is a choice.
"""

from collections.abc import Iterable
from itertools import product

MATERIAL_GROUPS = {
    "Natural": ("wood", "plant"),
    "Rubber": ("rubber",),
    "Foam": ("foam",),
    "Paper": ("paper", "cardboard"),
    "Glass": ("glass", "ceramic"),
    "Textiles": ("leather", "textiles"),
    "Stone": ("stone", "concrete", "minerals"),
    "Metal": ("metal",),
    "Plastic": ("plastic",),
}
OTHER_MATERIAL = "Other"
GROUP_OF = {label: group for group, labels in MATERIAL_GROUPS.items() for label in labels}

SIX = ("size", "shape", "weight", "hard", "flex", "strength")  # the properties defined in the instructions
OTHER_PROPERTY, NO_PROPERTY = "other", "none"
# Properties that the release joins without a separator, in lower case -> the single properties.
RUN_TOGETHER = {
    "texturetexture": ("texture",),
    "materialfragility": ("material", "fragility"),
    "densitysurface area": ("density", "surface area"),
    "textureconductivity": ("texture", "conductivity"),
    "texturethinness": ("texture", "thinness"),
    "sharpnessdullness": ("sharpness", "dullness"),
    "convection?edible": ("convection?", "edible"),
    "dissolubilityflammability": ("dissolubility", "flammability"),
    "porosity density": ("porosity", "density"),
    "porositytexture": ("porosity", "texture"),
    "texturemalleability": ("texture", "malleability"),
    "reflectivityconformability": ("reflectivity", "conformability"),
    "non-reactivityshock absorption": ("non-reactivity", "shock absorption"),
    "ductilitymalleability": ("ductility", "malleability"),
    "material (wood)material (metal)": ("material (wood)", "material (metal)"),
    "absorbability texture": ("absorbability", "texture"),
    "malleabilityreflection": ("malleability", "reflection"),
    "densitymaterial": ("density", "material"),
    "liquiditysharpness": ("liquidity", "sharpness"),
    "workabilitytexture": ("workability", "texture"),
    "porositysharpness": ("porosity", "sharpness"),
    "transparencyreflectivity": ("transparency", "reflectivity"),
    "porositysoftness": ("porosity", "softness"),
    "texturegranularity": ("texture", "granularity"),
    "stickinesstexture": ("stickiness", "texture"),
    "malleabilitystickiness": ("malleability", "stickiness"),
    "flammabilitytexture": ("flammability", "texture"),
    "melting pointplasticity": ("melting point", "plasticity"),
}


def material_groups(labels: Iterable[str]) -> tuple[str, ...]:
    """The paper's categories of an object; unknown and empty labels are Other."""
    return unique(GROUP_OF.get(label.strip().lower(), OTHER_MATERIAL) for label in labels)


def material_pairs(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """Every unordered pair [m1, m2] of the two objects' categories: one object has m1, the other m2."""
    return unique(" + ".join(sorted(pair)) for pair in product(first, second))


def property_names(raw: Iterable[str]) -> tuple[str, ...]:
    """The single properties, in lower case, stripped, and separated if the release joins them."""
    typed = (" ".join(text.lower().split()) for text in raw)
    return unique(name for text in typed for name in RUN_TOGETHER.get(text, (text,)) if name)


def property_groups(names: Iterable[str]) -> tuple[str, ...]:
    """The properties' groups: the six of the instructions, "other" for any other text, "none" without a property."""
    return unique(name if name in SIX else OTHER_PROPERTY for name in names) or (NO_PROPERTY,)


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, in order of first occurrence."""
    return tuple(dict.fromkeys(values))
