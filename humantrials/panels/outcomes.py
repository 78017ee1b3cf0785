"""How a visit ended, and the way back to the panel."""

from collections.abc import Mapping
from dataclasses import dataclass

# How a visit ended; each panel may use its own code for it.
FINISHED, DECLINED, FULL, STOPPED = "finished", "declined", "full", "stopped"
PARTIAL, SCREENED = "partial", "screened"  # answers did not arrive; the quiz or the qualification was failed


@dataclass(frozen=True)
class WayBack:
    """How to return to the panel: a link, or with `fields` a form that is posted there."""

    address: str
    fields: Mapping[str, str] | None = None
