"""A network by its recipe, with its first weights drawn from a seed or its encoder read from a file."""

from collections.abc import Mapping
from pathlib import Path
from pickle import UnpicklingError  # nosec B403: what torch raises; nothing is unpickled but weights
from typing import Any

import torch
from torch import nn

from evaluation.training.craft.mac import Mac
from evaluation.training.craft.reading import Lstm, LstmCnn
from evaluation.training.craft.recipes import CraftRecipe
from evaluation.training.craft.residual import WIDTH
from evaluation.training.craft.tvqa import Tvqa
from evaluation.training.craft.tvqa_plus import TvqaPlus
from evaluation.training.craft.words import Vocabulary
from evaluation.training.folders import TrainingMisused

NETWORKS: Mapping[str, Any] = {"lstm": Lstm, "lstm-cnn": LstmCnn, "mac": Mac, "tvqa": Tvqa, "tvqa+": TvqaPlus}
FILES = {True: "r3d_18*.pth", False: "resnet18*.pth"}  # as torchvision names them, by whether a clip is seen whole
NOT_OURS = ("layer4.", "fc.")  # what is cut off


def network_of(recipe: CraftRecipe, vocabulary: Vocabulary, seed: int = 0) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network: nn.Module = NETWORKS[recipe.family](recipe, vocabulary.size, len(vocabulary.answers))
    return network


def pretrained_file(recipe: CraftRecipe, folder: Path) -> Path:
    """The one file of weights for this network's encoder; raises TrainingMisused where there is not exactly one."""
    if not recipe.sees or recipe.width != WIDTH:
        raise TrainingMisused("--backbones is for models in full size that see: smaller encoders have no such weights")
    pattern = FILES[recipe.is_solid]
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise TrainingMisused(f"{folder}: {len(found)} files {pattern}, one is wanted")
    return found[0]


def read_encoder(network: nn.Module, path: Path) -> None:
    """Put torchvision's weights into the encoder."""
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        kept = {name: value for name, value in saved.items() if not name.startswith(NOT_OURS)}
        network.eye.trunk.load_state_dict(kept)  # type: ignore[union-attr]
    except (OSError, RuntimeError, AttributeError, ValueError, EOFError, UnpicklingError) as error:
        raise TrainingMisused(f"{path}: not the weights of this encoder ({str(error).splitlines()[0]})") from None
