"""A network as a folder: the values that build it again, and its weights."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from safetensors.torch import load_file, save_file
from torch import nn

from evaluation.adapters.weights import CONFIG

WEIGHTS = "model.safetensors"
Network = TypeVar("Network", bound=nn.Module)


def save_network(network: nn.Module, values: Mapping[str, Any], folder: Path) -> None:
    (folder / CONFIG).write_text(json.dumps(values, indent=1), encoding="utf-8")
    save_file({name: weight.contiguous() for name, weight in network.state_dict().items()}, folder / WEIGHTS)


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
