"""Checks whether the decisive part of a clip is large, long and clear enough to be seen; measurements come as facts."""

from collections.abc import Mapping
from typing import Any

LEAST_SECONDS, LEAST_PIXELS, LEAST_CONTRAST = 0.6, 400, 0.15  # of the twins' difference, in 320 x 240 pixels
LEAST_NAMED = 300  # pixels of the object that a Level-1 clip asks about


def legibility_faults(measured: Mapping[str, Any]) -> list[str]:
    """One sentence for each limit that the twins' difference, or the object of a Level-1 clip, does not reach."""
    named = measured.get("named_pixels", LEAST_NAMED)
    if named < LEAST_NAMED:
        return [f"legibility: the named object has {named} pixels"]
    return _telltale_faults(measured["telltale"]) if "telltale" in measured else []


def _telltale_faults(telltale: Mapping[str, Any]) -> list[str]:
    faults = []
    if telltale["seconds"] < LEAST_SECONDS and not telltale["at_end"]:
        faults.append(f"legibility: the twins differ for {telltale['seconds']} s and not at the end")
    if telltale["pixels"] < LEAST_PIXELS:
        faults.append(f"legibility: the twins differ in {telltale['pixels']} pixels")
    if telltale["contrast"] < LEAST_CONTRAST:
        faults.append(f"legibility: the twins differ with a contrast of {telltale['contrast']}")
    return faults
