"""What any panel tells when somebody arrives."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Arrival:
    """A visit to the entry page. `external_id` is '' if the link carries none; a vouched one can't be made up."""

    panel: str
    external_id: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    is_vouched: bool = False


class NotLetIn(Exception):
    """The link does not admit this visit: a key of stop_messages.AT_THE_DOOR, and the parameter at fault if one is."""

    def __init__(self, reason: str, parameter: str = "") -> None:
        super().__init__(reason)
        self.reason, self.parameter = reason, parameter
