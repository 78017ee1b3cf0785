"""What raters and judges were asked about generated clips, in the published sets of such questions."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RatedDimension:
    """One question about a clip; with `laws`, about prompts that name one of them, else about every prompt."""

    name: str
    title: str
    laws: tuple[str, ...] = ()


# PhyGround (arXiv 2605.10806): three general dimensions, and 13 laws of which a prompt has two to four.
DOMAINS = {
    "Solid-Body": ("gravity", "inertia", "momentum", "impenetrability", "collision", "material"),
    "Fluid": ("buoyancy", "displacement", "flow_dynamics", "boundary_interaction", "fluid_continuity"),
    "Optical": ("reflection", "shadow"),
}
GENERAL = (
    RatedDimension("persistence", "Things stay things"),
    RatedDimension("SA", "Fits the prompt"),
    RatedDimension("PTV", "Order of events"),
)
LAWS = tuple(law for laws in DOMAINS.values() for law in laws)
PHYGROUND = (*(RatedDimension(law, law.replace("_", " ").capitalize(), laws=(law,)) for law in LAWS), *GENERAL)
PRESETS = {"phyground": PHYGROUND, "": ()}  # "": votes alone
