"""Lets torchvision be imported although its compiled operators were built for another torch.

transformers' video processors need torchvision only for resizing. With a CPU-only torch its operators don't load, and
importing it fails with `operator torchvision::nms does not exist`. Declaring the two names is enough, since nothing
here calls them. If the real operators load, nothing is done.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SIGNATURES = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
)


@cache
def declared() -> Any:
    """Declare the operators unless the real ones load. Call before importing transformers; hold the result."""
    import torch

    if _real_ones_load():
        return None
    library = torch.library.Library("torchvision", "DEF")  # its operators are dropped when it is garbage-collected
    for signature in SIGNATURES:
        library.define(signature)
    return library


def _real_ones_load() -> bool:
    import torch

    found = find_spec("torchvision")
    folders = (found.submodule_search_locations or ()) if found else ()
    compiled = next((file for folder in folders for file in Path(folder).glob("_C*.so")), None)
    try:
        torch.ops.load_library(str(compiled))
    except OSError:
        return False
    return True
