"""A trained network as a folder: what it is made of, its words and answers, its weights."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors.torch import load_file, save_file
from torch import nn

from evaluation.adapters.weights import CONFIG
from evaluation.training.craft.networks import network_of
from evaluation.training.craft.recipes import CraftRecipe
from evaluation.training.craft.words import Vocabulary

WEIGHTS = "model.safetensors"


@dataclass(frozen=True, eq=False)
class Opened:
    """A saved network, ready to be asked."""

    network: nn.Module
    vocabulary: Vocabulary
    recipe: CraftRecipe


def save(opened: Opened, folder: Path) -> None:
    config = {"recipe": asdict(opened.recipe), "words": opened.vocabulary.words, "answers": opened.vocabulary.answers}
    (folder / CONFIG).write_text(json.dumps(config, indent=1), encoding="utf-8")
    save_file(opened.network.state_dict(), folder / WEIGHTS)


def opened(folder: Path) -> Opened:
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    recipe = CraftRecipe(**config["recipe"])
    vocabulary = Vocabulary(tuple(config["words"]), tuple(config["answers"]))
    network = network_of(recipe, vocabulary)
    network.load_state_dict(load_file(folder / WEIGHTS))
    return Opened(network.eval(), vocabulary, recipe)
