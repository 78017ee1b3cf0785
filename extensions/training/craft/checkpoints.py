"""Stores a trained network as a folder: its recipe, its words and answers, its weights."""

from dataclasses import asdict, dataclass
from pathlib import Path

from torch import nn

from extensions.training.core.network_files import filled, save_network, saved_values
from extensions.training.craft.networks import network_of
from extensions.training.craft.recipes import CraftRecipe
from extensions.training.craft.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class LoadedNetwork:
    """A saved network, ready to answer."""

    network: nn.Module
    vocabulary: Vocabulary
    recipe: CraftRecipe


def save(opened: LoadedNetwork, folder: Path) -> None:
    config = {"recipe": asdict(opened.recipe), "words": opened.vocabulary.words, "answers": opened.vocabulary.answers}
    save_network(opened.network, config, folder)


def opened(folder: Path) -> LoadedNetwork:
    config = saved_values(folder)
    recipe = CraftRecipe(**config["recipe"])
    vocabulary = Vocabulary(config["words"], config["answers"])
    return LoadedNetwork(filled(network_of(recipe, vocabulary), folder), vocabulary, recipe)
