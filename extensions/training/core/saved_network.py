"""A network as a folder, the values that build it again and its weights, read as numbers; and as a model."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from pickle import UnpicklingError  # nosec B403: raised by torch; only weights are unpickled
from typing import Any, ClassVar, TypeVar

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from evaluation.adapters.base import Reply, Request, at_once
from evaluation.adapters.weights import CONFIG, folder_of, weights_hash
from evaluation.errors import ModelMisused
from extensions.training.core.checkpoints import TrainingMisused

WEIGHTS = "model.safetensors"
Network = TypeVar("Network", bound=nn.Module)


def save_network(network: nn.Module, values: Mapping[str, Any], folder: Path) -> None:
    (folder / CONFIG).write_text(json.dumps(values, indent=1), encoding="utf-8")
    save_file({name: weight.contiguous() for name, weight in network.state_dict().items()}, folder / WEIGHTS)


def save_with_recipe(network: nn.Module, folder: Path) -> None:
    """Save a network that its recipe alone builds again."""
    save_network(network, {"recipe": asdict(network.recipe)}, folder)  # type: ignore[call-overload]


def saved_values(folder: Path) -> dict[str, Any]:
    """The values, with tuples in place of lists."""
    values: dict[str, Any] = json.loads((folder / CONFIG).read_text(encoding="utf-8"), object_hook=_with_tuples)
    return values


def _with_tuples(values: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def filled(network: Network, folder: Path) -> Network:
    """The network with the folder's weights, ready to answer."""
    network.load_state_dict(load_file(folder / WEIGHTS))
    return network.eval()


def weights_at(path: Path, device: torch.device | str) -> Any:
    """The content of the file; raises TrainingMisused if it contains anything executable."""
    try:
        return torch.load(path, map_location=device, weights_only=True)
    except UnpicklingError:
        words = "holds more than a network's weights, and nothing in it is run"
        raise TrainingMisused(f"{path}: {words}") from None


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

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(map(self.reply_to, requests))

    def reply_to(self, request: Request) -> Reply:
        """The reply to a request, which depends on nothing else."""
        raise NotImplementedError

    @staticmethod
    def opened(folder: Path) -> Any:
        """The network of a folder; raises ModelMisused."""
        raise NotImplementedError

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options, without reading the weights."""
        if not options.get("path"):
            raise ModelMisused("option path: the folder of a saved model")
