"""Loads torch's pickled files as numbers only, without running any code in them."""

from pathlib import Path
from pickle import UnpicklingError  # nosec B403: raised by torch; only weights are unpickled
from typing import Any

import torch

from extensions.training.core.checkpoints import TrainingMisused


def weights_at(path: Path, device: torch.device | str) -> Any:
    """The content of the file; raises TrainingMisused if it contains anything executable."""
    try:
        return torch.load(path, map_location=device, weights_only=True)
    except UnpicklingError:
        words = "holds more than a network's weights, and nothing in it is run"
        raise TrainingMisused(f"{path}: {words}") from None
