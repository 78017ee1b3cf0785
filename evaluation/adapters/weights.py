"""Saved models: where they are, and the hash that tells one from another."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from evaluation.errors import ModelMisused

CONFIG = "config.json"
WEIGHTS = "*.safetensors"
GGUF = ".gguf"


def folder_of(path: str | Path) -> Path:
    """The model's folder; a relative path counts from the site's state, which can then be moved as a whole."""
    folder = Path(settings.VAR_DIR) / path
    if not (folder / CONFIG).is_file():
        raise ModelMisused(f"{folder}: no saved model here, {CONFIG} is missing")
    if not any(folder.glob(WEIGHTS)):
        raise ModelMisused(f"{folder}: the saved model has no weights ({WEIGHTS})")
    return folder


def place_of(path: str | Path) -> Path:
    """A model's folder, or its one file where it is a GGUF."""
    if Path(path).suffix.lower() != GGUF:
        return folder_of(path)
    file = Path(settings.VAR_DIR) / path
    if not file.is_file():
        raise ModelMisused(f"{file}: no such file")
    return file


def weights_hash(place: Path) -> str:
    """SHA-256 over the weight files, in the order of their names."""
    return _hash_of(sorted(place.glob(WEIGHTS)) if place.is_dir() else [place])


def _hash_of(files: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
