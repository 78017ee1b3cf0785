"""What any panel tells about somebody who arrives."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Arrival:
    """Somebody at the door. `external_id` is '' where the link carries none."""

    panel: str
    external_id: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
