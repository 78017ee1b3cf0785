"""Which stills of each clip a trial shows, where it shows stills."""

from collections.abc import Mapping
from typing import Any

from benchmarks.encoding.even_frames import evenly_spaced

USUAL = 8  # as many as models get by default


def stills_wanted(settings: Mapping[str, Any]) -> int:
    return int(settings.get("frames", USUAL))


def stills_of(settings: Mapping[str, Any], frames: int) -> tuple[int, ...]:
    """The numbers of the frames that are shown of a clip with so many."""
    return evenly_spaced(stills_wanted(settings), frames) if frames else ()
