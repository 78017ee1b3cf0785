"""Base of the small networks trained by this site: a model is a folder of weights, run on the CPU."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import torch

from evaluation.adapters.weights import folder_of, weights_hash
from evaluation.errors import ModelMisused


class SavedNetwork:
    """A model whose `path` is a folder written by `train_baseline`; a subclass names its kind and opens the folder."""

    family: ClassVar[str]

    def __init__(self, *, path: str) -> None:
        folder = folder_of(path)
        self.network = self.opened(folder)
        self.description: dict[str, Any] = {
            "device": "cpu",
            "dtype": "float32",
            "threads": torch.get_num_threads(),
            "family": self.family,
            "shown": self.inputs,
            "weights": weights_hash(folder),
        }

    @property
    def inputs(self) -> str:
        """What of a clip it takes, in words."""
        return f"{self.network.recipe.frames} frames"

    @staticmethod
    def opened(folder: Path) -> Any:
        """The network of a folder; raises ModelMisused."""
        raise NotImplementedError

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options, without reading the weights."""
        if not options.get("path"):
            raise ModelMisused("option path: the folder of a saved model")
