"""What a saved model can be shown, read from the configuration in its folder without opening it."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.weights import CONFIG


def has_ears(path: str) -> bool:
    """Whether the saved model in this folder has a part for sound; False for a file or a folder that is not there."""
    file = Path(settings.VAR_DIR) / path / CONFIG
    try:
        return _has_ears(file, file.stat().st_mtime_ns)
    except OSError:
        return False


@lru_cache(maxsize=256)
def _has_ears(file: Path, changed: int) -> bool:
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and any(part.get("audio_config") for part in _parts(config))


def _parts(config: dict[str, Any]) -> list[dict[str, Any]]:
    """The configuration, and that of an Omni model's thinker in it."""
    thinker = config.get("thinker_config")
    return [config, thinker] if isinstance(thinker, dict) else [config]
