"""Stores a trained network as a folder: its recipe, its words and answers, its weights."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors.torch import load_file, save_file
from torch import nn

from evaluation.adapters.weights import CONFIG
from extensions.training.craft.networks import network_of
from extensions.training.craft.recipes import CraftRecipe
from extensions.training.craft.vocabulary import Vocabulary

WEIGHTS = "model.safetensors"


@dataclass(frozen=True, eq=False)
class LoadedNetwork:
    """A saved network, ready to answer."""

    network: nn.Module
    vocabulary: Vocabulary
    recipe: CraftRecipe


def save(opened: LoadedNetwork, folder: Path) -> None:
    config = {"recipe": asdict(opened.recipe), "words": opened.vocabulary.words, "answers": opened.vocabulary.answers}
    (folder / CONFIG).write_text(json.dumps(config, indent=1), encoding="utf-8")
    save_file(opened.network.state_dict(), folder / WEIGHTS)


def opened(folder: Path) -> LoadedNetwork:
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    recipe = CraftRecipe(**config["recipe"])
    vocabulary = Vocabulary(tuple(config["words"]), tuple(config["answers"]))
    network = network_of(recipe, vocabulary)
    network.load_state_dict(load_file(folder / WEIGHTS))
    return LoadedNetwork(network.eval(), vocabulary, recipe)
