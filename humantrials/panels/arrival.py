"""What any panel tells about somebody who arrives, and how they get back to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# How somebody's visit ended; each panel may want to hear it by another code.
FINISHED, DECLINED, FULL, STOPPED = "finished", "declined", "full", "stopped"
OUTCOMES = (FINISHED, DECLINED, FULL, STOPPED)


@dataclass(frozen=True)
class Arrival:
    """Somebody at the door. `external_id` is '' where the link carries none."""

    panel: str
    external_id: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WayBack:
    """Where the panel wants people to go: a link, or with `fields` a form that is posted there."""

    address: str
    fields: Mapping[str, str] | None = None


class NotLetIn(Exception):
    """The panel's link does not let this visit in; `reason` is a name of stops.AT_THE_DOOR."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
