"""A network as a folder of weights, and back."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file

from evaluation.adapters.weights import CONFIG, weights_hash
from evaluation.training.fusion.network import Fusion
from evaluation.training.learning import FACTS, Trained, trained_at

WEIGHTS = "model.safetensors"


def save(network: Fusion, facts: dict[str, Any], out: Path) -> Trained:
    """Write everything beside `out` and move it there whole; what stood there goes last."""
    fresh, old = (out.with_name(f".{out.name}.{os.getpid()}.{kind}") for kind in ("new", "old"))
    fresh.mkdir(parents=True)
    config = {"words": list(network.places), "channels": list(network.channels), "width": network.width}
    (fresh / CONFIG).write_text(json.dumps(config, indent=1), encoding="utf-8")
    save_file(network.state_dict(), fresh / WEIGHTS)
    (fresh / FACTS).write_text(json.dumps(facts | {"weights": weights_hash(fresh)}, indent=1), encoding="utf-8")
    if out.exists():
        out.replace(old)
    fresh.replace(out)
    shutil.rmtree(old, ignore_errors=True)
    return trained_at(out)


def opened(folder: Path) -> Fusion:
    """The saved network, ready to be asked."""
    network = Fusion(**json.loads((folder / CONFIG).read_text(encoding="utf-8")))
    network.load_state_dict(load_file(folder / WEIGHTS))
    return network.eval()
