"""The vocabulary of PACS' annotation: materials, properties, flags, reasons. From the paper, appendix A.1 to A.5."""

import re
from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from humantrials.protocols.protocol import Text

# Section 4.1 of the fact sheet: the 18 materials in the order of the checkboxes.
MATERIALS: Final[Mapping[str, Text]] = {
    "wood": _("Wood"),
    "plant": _("Plant"),
    "foam": _("Foam"),
    "paper": _("Paper"),
    "cardboard": _("Cardboard"),
    "leather": _("Leather"),
    "textiles": _("Textiles"),
    "metal": _("Metal"),
    "plastic": _("Plastic"),
    "wax": _("Wax"),
    "clay": _("Clay"),
    "rubber": _("Rubber"),
    "stone": _("Stone"),
    "concrete": _("Concrete"),
    "minerals": _("Minerals"),
    "ceramic": _("Ceramic"),
    "glass": _("Glass"),
    "slime": _("Slime"),
}

# Section 4.3: the six properties of the instructions, with the names used in the release.
PROPERTIES: Final[Mapping[str, Text]] = {
    "size": _("Size"),
    "shape": _("Shape"),
    "weight": _("Weight"),
    "hard": _("Hardness"),
    "flex": _("Flexibility"),
    "strength": _("Strength"),
}

# Section 6.2: any of these flags excludes the clip.
FLAGS: Final[Mapping[str, Text]] = {
    "wrong-object": _("I marked the wrong thing: another one is the object of focus"),
    "no-object": _("No object of focus can be identified in the picture"),
    "cut": _("The clip cuts half-way to something else"),
    "music-or-talking": _("Loud background music or talking"),
    "silent": _("Almost silent, or no sound at all"),
    "sound-of-another": _("The sound does not match the video"),
    "speed": _("Sped up or slowed down"),
    "off-topic": _("Completely off-topic"),
    "blurry": _("Overly blurry, or with artefacts"),
    "sensitive": _("Inappropriate or sensitive content"),
}

# Why an object, a question or a candidate was dropped, in words for staff.
REASONS: Final[Mapping[str, str]] = {
    **{name: str(name).replace("-", " ") for name in FLAGS},
    "no-change": "sound changed nothing: the same materials, and no more confidence",
    "irrelevant": "irrelevant to this pair",
    "bad-question": "a bad question",
    "disagreement": "three people did not agree",
    "flagged": "flagged at the check",
    "object-dropped": "one of its objects is out",
}

IRRELEVANT: Final = "irrelevant"
CONFIDENCES: Final = range(1, 6)
GRADES: Final = range(1, 5)  # 3 is good, 4 exceptional

# A question made only of these words names a property and needs no reasoning (heuristic 3 of section 6.3, "Which object
# is larger?", "… is easier to break?"). The list is ours.
_EMPTY = (
    "which what object objects item items thing things one of the two is are be was would will looks look feels feel"
    " seems has have had a an to it more less most least much very likely probably do does than other in general can"
    " could you think both these this that"
)
_BARE = (
    "large larger largest big bigger biggest small smaller smallest tall taller long longer short shorter wide wider"
    " thin thinner thick thicker heavy heavier heaviest light lighter lightest weigh weighs weight size shape mass"
    " hard harder hardest soft softer softest hardness stiff stiffer rigid flexible flexibility elastic bendable bendy"
    " strong stronger strongest weak weaker strength sturdy sturdier tough tougher brittle fragile durable sticky"
    " stickier stickiness smooth smoother rough rougher texture dense denser density round rounder rounded flat flatter"
    " sharp sharper pointy pointier slippery porous transparent shiny shinier loud louder quiet quieter easy easier"
    " easily break breaks breakable bend bends tear tears stretch stretches stretchy material"
)
_NOTHING_ELSE = frozenset(_EMPTY.split()) | frozenset(_BARE.split())


def plain_words(text: str) -> list[str]:
    return re.findall(r"[\w'’-]+", text.casefold())


def only_names_a_property(question: str) -> bool:
    """Whether the question only restates a property, with nothing to reason about."""
    words = plain_words(question)
    return bool(words) and set(words) <= _NOTHING_ELSE
