"""The values that any panel gives when somebody arrives, and the way back to the panel."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# How a visit ended; each panel may use its own code for it.
FINISHED, DECLINED, FULL, STOPPED = "finished", "declined", "full", "stopped"
PARTIAL, SCREENED = "partial", "screened"  # answers did not arrive; the quiz or the qualification was failed


@dataclass(frozen=True)
class Arrival:
    """A visit to the entry page. `external_id` is '' if the link carries none; a vouched one can't be made up."""

    panel: str
    external_id: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    is_vouched: bool = False


@dataclass(frozen=True)
class WayBack:
    """How to return to the panel: a link, or with `fields` a form that is posted there."""

    address: str
    fields: Mapping[str, str] | None = None


class NotLetIn(Exception):
    """The link does not admit this visit: a key of stop_messages.AT_THE_DOOR, and the parameter at fault if one is."""

    def __init__(self, reason: str, parameter: str = "") -> None:
        super().__init__(reason)
        self.reason, self.parameter = reason, parameter
