"""Every protocol, by name."""

from humantrials.errors import UnknownProtocol
from humantrials.protocols.craft_five_part import CRAFT_FIVE_PART
from humantrials.protocols.giraffe_choice import GIRAFFE_CHOICE
from humantrials.protocols.giraffe_rating import GIRAFFE_RATING
from humantrials.protocols.grasp_grounding import GRASP_GROUNDING
from humantrials.protocols.grasp_plausibility import GRASP_PLAUSIBILITY
from humantrials.protocols.pacs_annotation import PACS_ANNOTATION
from humantrials.protocols.pacs_audio import PACS_AUDIO, TAPPED_AUDIO
from humantrials.protocols.protocol import Protocol

PROTOCOLS: dict[str, Protocol] = {
    protocol.name: protocol
    for protocol in (
        GRASP_PLAUSIBILITY,
        GRASP_GROUNDING,
        PACS_AUDIO,
        TAPPED_AUDIO,
        PACS_ANNOTATION,
        CRAFT_FIVE_PART,
        GIRAFFE_RATING,
        GIRAFFE_CHOICE,
    )
}


def find_protocol(name: str) -> Protocol:
    """The protocol of this name; else the error lists those that exist."""
    if name not in PROTOCOLS:
        raise UnknownProtocol(f"there is no protocol {name!r}; there is: {', '.join(PROTOCOLS)}")
    return PROTOCOLS[name]
