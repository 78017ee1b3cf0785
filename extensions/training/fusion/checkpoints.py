"""Saves a network as a folder of weights and loads it."""

import json
from pathlib import Path

from safetensors.torch import load_file, save_file

from evaluation.adapters.weights import CONFIG
from extensions.training.fusion.network import Fusion

WEIGHTS = "model.safetensors"


def save(network: Fusion, folder: Path) -> None:
    config = {"words": list(network.places), "channels": list(network.channels), "width": network.width}
    (folder / CONFIG).write_text(json.dumps(config, indent=1), encoding="utf-8")
    save_file(network.state_dict(), folder / WEIGHTS)


def opened(folder: Path) -> Fusion:
    """The saved network, ready to answer."""
    network = Fusion(**json.loads((folder / CONFIG).read_text(encoding="utf-8")))
    network.load_state_dict(load_file(folder / WEIGHTS))
    return network.eval()
