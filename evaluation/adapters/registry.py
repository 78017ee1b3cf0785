"""The class of each kind of adapter, imported when a model of that kind is opened; extensions add kinds."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from evaluation.adapters.base import Adapter
from evaluation.adapters.weights import CONFIG, EARS
from evaluation.errors import ModelMisused
from evaluation.models import Model

ADAPTERS = {
    "always-yes": "evaluation.adapters.heuristics.AlwaysYes",
    "always-no": "evaluation.adapters.heuristics.AlwaysNo",
    "random": "evaluation.adapters.heuristics.RandomAnswer",
    "openai": "evaluation.adapters.openai.adapter.OpenAIModel",
    "command": "evaluation.adapters.command.CommandModel",
    "similarity": "evaluation.adapters.similarity.SimilarityModel",
    "scripted": "evaluation.adapters.heuristics.ScriptedModel",
    "transformers": "evaluation.adapters.transformers.adapter.TransformersModel",
}

# Kinds that can take sound, with the option that enables it. '' = models that use no media, so that their replies are
# the same under every condition.
HEARING = {
    "always-yes": "",
    "always-no": "",
    "random": "",
    "scripted": "",
    "openai": "audio",
    "command": "audio",
    "similarity": "audio_path",
}
SAVED = "transformers"  # such a model takes sound if its configuration has a part for it
SPEAKING = (SAVED, "openai", "command")  # kinds that write their replies token by token

# Kinds that can give the log-probabilities of the options.
WEIGHING = ["transformers", "openai", "command", "scripted"]
# Kinds whose replies can be restricted to the options; a model behind a server needs the option choice_as for it.
CHOOSING = ("transformers", "openai", "scripted")
SURPRISING = ("command", "scripted")  # kinds that can give one number per window
ONLY_SURPRISING: list[str] = []  # kinds that give such numbers and no answers


def register(
    kinds: Mapping[str, str], *, hearing: Mapping[str, str], weighing: Iterable[str], only_surprising: Iterable[str]
) -> None:
    """Add an extension's kinds, each with the path of its class, and what they can do."""
    ADAPTERS.update(kinds)
    HEARING.update(hearing)
    WEIGHING.extend(weighing)
    ONLY_SURPRISING.extend(only_surprising)


def hears(model: Model) -> bool:
    """Whether this model has an input for sound; for a saved model its folder decides."""
    if model.kind == SAVED:
        return has_ears(str(model.options.get("path", "")))
    option = HEARING.get(model.kind)
    return option == "" or (option is not None and bool(model.options.get(option)))


def why_deaf(model: Model) -> str:
    """A sentence on what this model needs in order to take sound."""
    if option := HEARING.get(model.kind):
        return f"models of kind {model.kind} have one by their option {option}"
    if model.kind == SAVED:
        return "its folder's config.json names no part for sound (audio_config)"
    able = ", ".join((SAVED, *(kind for kind, option in HEARING.items() if option)))
    return f"models of kind {model.kind} take only pictures and text; {able} can take sound"


def open_model(model: Model) -> Adapter:
    """Open the model with its stored options; raises ModelMisused if that fails."""
    if model.kind not in ADAPTERS:
        raise ModelMisused(f"{model.slug}: no adapter of kind {model.kind!r}; there are {', '.join(ADAPTERS)}")
    try:
        return import_string(ADAPTERS[model.kind])(**model.options)
    except (OSError, TypeError, ImportError) as error:
        raise ModelMisused(f"{model.slug} can't be opened: {error}") from error


def has_ears(path: str) -> bool:
    """Whether the saved model in this folder has a part for sound; False for a file or a missing folder."""
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
    return isinstance(config, dict) and any(part.get(ear) for part in _parts(config) for ear in EARS)


def _parts(config: dict[str, Any]) -> list[dict[str, Any]]:
    """The configuration itself, and the thinker's configuration of an Omni model."""
    thinker = config.get("thinker_config")
    return [config, thinker] if isinstance(thinker, dict) else [config]
