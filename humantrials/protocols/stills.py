"""How many stills of each clip a trial shows, where it shows stills."""

from collections.abc import Mapping
from typing import Any

USUAL = 8  # as many as models get by default


def stills_wanted(settings: Mapping[str, Any]) -> int:
    return int(settings.get("frames", USUAL))


def stills_per_clip(settings: Mapping[str, Any], frames: int) -> int:
    """How many are shown of a clip with so many frames; a still picture is shown once."""
    return stills_wanted(settings) if frames > 1 else frames
