"""How many stills of each clip a trial shows, where it shows stills."""

from collections.abc import Mapping
from typing import Any

USUAL = 8  # as many as models get by default


def stills_wanted(settings: Mapping[str, Any]) -> int:
    return int(settings.get("frames", USUAL))
