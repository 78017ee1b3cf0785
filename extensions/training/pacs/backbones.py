"""A backbone turns one part of the input into vectors; its weights are pretrained, or new and trained here."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers as hf

from evaluation.adapters import torchvision_shim
from evaluation.adapters.transformers.loading import first_line, show_no_bars
from evaluation.adapters.weights import FROM_DISK, WEIGHTS_FROM_DISK
from extensions.training.core.checkpoints import TrainingMisused
from extensions.training.pacs.recipes import CLAP, CLIP, IMAGE, NAMES, QUESTION, SOUND, VIDEO

torchvision_shim.declared()  # must precede the first use of a transformers class


def crops_of(model: Any, pixels: torch.Tensor) -> torch.Tensor:
    """CLIP's projected vectors [n, crops, width] of pictures [n, crops, 3, edge, edge]."""
    found = model.get_image_features(pixels.flatten(0, 1))
    return getattr(found, "pooler_output", found).unflatten(0, pixels.shape[:2])


@dataclass(frozen=True)
class Kind:
    """The required model of a part's backbone; `reader` is the class of its preprocessor."""

    family: str  # the library's name for it, in config.json
    model: Any
    reader: Any
    vectors: Callable[[Any, Any], torch.Tensor]  # from the input to [n, width]


KINDS: Mapping[str, Kind] = {
    IMAGE: Kind("vit", hf.ViTModel, hf.AutoImageProcessor, lambda model, inputs: model(inputs).pooler_output),
    SOUND: Kind(
        "audio-spectrogram-transformer",
        hf.ASTModel,
        hf.AutoFeatureExtractor,
        lambda model, inputs: model(inputs).pooler_output,
    ),
    VIDEO: Kind(
        "videomae",
        hf.VideoMAEModel,
        hf.AutoImageProcessor,
        lambda model, inputs: model(inputs).last_hidden_state.mean(1),
    ),
    QUESTION: Kind(
        "deberta-v2", hf.DebertaV2Model, hf.AutoTokenizer, lambda model, inputs: model(**inputs).last_hidden_state[:, 0]
    ),
    CLIP: Kind("clip", hf.CLIPModel, hf.AutoProcessor, lambda model, inputs: crops_of(model, inputs)),
    CLAP: Kind(
        "clap",
        hf.ClapAudioModelWithProjection,
        hf.AutoFeatureExtractor,
        lambda model, inputs: model(input_features=inputs).audio_embeds,
    ),
}


@dataclass(eq=False)
class Backbone:
    """A model with its preprocessor; `source` is the folder or name of its weights, '' for weights initialised here."""

    part: str
    model: Any
    reader: Any
    source: str = ""

    @property
    def width(self) -> int:
        """Width of its vectors."""
        config = self.model.config
        return config.projection_dim if self.part in (CLIP, CLAP) else config.hidden_size

    @property
    def parameters(self) -> int:
        return sum(weight.numel() for weight in self.model.parameters())

    def vectors(self, inputs: Any) -> torch.Tensor:
        """Vectors [n, width] of prepared inputs (see frames.py and spectrograms.py, and network.py for tokens)."""
        return KINDS[self.part].vectors(self.model, inputs)


def place_of(part: str, folder: Path | None) -> str:
    """Source of a part's pretrained weights: a folder of its name inside `folder`, or its name on the Hub.

    A name is looked up in the library's own cache on this machine (filled by `hf download NAME`); nothing is
    downloaded.
    """
    if folder is None:
        return NAMES[part]
    if not (folder / part / "config.json").is_file():
        raise TrainingMisused(f"{folder / part}: no saved model here: {NAMES[part]} or one of its family is looked for")
    return str((folder / part).resolve())


def opened(part: str, place: str) -> Backbone:
    """The frozen backbone saved there, in float32; raises TrainingMisused for another family or missing weights."""
    from safetensors import SafetensorError

    kind = KINDS[part]
    show_no_bars()
    try:
        config = hf.AutoConfig.from_pretrained(place, **FROM_DISK)
        if config.model_type not in (kind.family, f"{kind.family}_audio_model"):
            raise TrainingMisused(f"{place}: a {config.model_type}, where {part} wants a {kind.family}")
        model, found = kind.model.from_pretrained(
            place, **WEIGHTS_FROM_DISK, dtype=torch.float32, output_loading_info=True
        )
        reader = kind.reader.from_pretrained(place, **FROM_DISK)
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, ImportError, SafetensorError) as error:
        if isinstance(error, TrainingMisused):
            raise
        raise TrainingMisused(f"{place}: not a model that transformers can open: {first_line(error)}") from error
    if gaps := sorted(found["missing_keys"]):
        raise TrainingMisused(
            f"{place}: {len(gaps)} weights are not there ({gaps[0]}), so they would be drawn by chance"
        )
    if part == CLAP and config_of(model, "enable_fusion"):
        raise TrainingMisused(f"{place}: this CLAP joins several views of a long sound; an unfused one is wanted")
    return Backbone(part, model.eval().requires_grad_(False), reader, place)


def fingerprint(model: Any) -> str:
    """SHA-256 over all weights, independent of their file."""
    digest = hashlib.sha256()
    for name, weight in sorted(model.state_dict().items()):
        digest.update(name.encode() + weight.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def config_of(model: Any, name: str) -> Any:
    return getattr(getattr(model.config, "audio_config", model.config), name, None)
