"""Finds and checks the files of saved models, and hashes their weights."""

import hashlib
import json
from pathlib import Path

from django.conf import settings

from evaluation.errors import ModelMisused

CONFIG = "config.json"
WEIGHTS = "*.safetensors"
INDEX = "*.safetensors.index.json"
GGUF = ".gguf"
EARS = ("audio_config", "encoder_config")  # parts of a configuration for sound; the second is Granite Speech's
# Options for every from_pretrained call: no download, and no code of the model's folder.
FROM_DISK = {"local_files_only": True, "trust_remote_code": False}
WEIGHTS_FROM_DISK = {**FROM_DISK, "use_safetensors": True}  # other formats are pickles, which are programs


def folder_of(path: str | Path) -> Path:
    """The model's folder; a relative path starts at VAR_DIR, so that the site's state can be moved as a whole."""
    folder = Path(settings.VAR_DIR) / path
    if not (folder / CONFIG).is_file():
        raise ModelMisused(f"{folder}: no saved model here, {CONFIG} is missing")
    if not any(folder.glob(WEIGHTS)):
        raise ModelMisused(f"{folder}: the saved model has no weights ({WEIGHTS}); no other format is opened")
    for index in folder.glob(INDEX):
        _check_index(index)
    return folder


def _check_index(index: Path) -> None:
    """Raise ModelMisused if the index of weights names a file of another type or in another folder."""
    try:
        named = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelMisused(f"{index}: not a list of files of weights") from error
    for name in named:
        if not isinstance(name, str) or Path(name).name != name or not name.endswith(".safetensors"):
            raise ModelMisused(f"{index}: names {name!r}; only {WEIGHTS} of its own folder are opened")


def place_of(path: str | Path) -> Path:
    """The model's folder, or the file of a GGUF model."""
    if Path(path).suffix.lower() != GGUF:
        return folder_of(path)
    file = Path(settings.VAR_DIR) / path
    if not file.is_file():
        raise ModelMisused(f"{file}: no such file")
    return file


def weights_hash(place: Path) -> str:
    """SHA-256 over the weight files, in the order of their names."""
    digest = hashlib.sha256()
    for path in sorted(place.glob(WEIGHTS)) if place.is_dir() else [place]:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
