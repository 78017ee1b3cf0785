"""Every kind of adapter by the path of its class; it is imported when a model of that kind is opened."""

from django.utils.module_loading import import_string

from evaluation.adapters.base import Adapter
from evaluation.errors import ModelMisused
from evaluation.models import Model

ADAPTERS = {
    "always-yes": "evaluation.adapters.heuristics.AlwaysYes",
    "always-no": "evaluation.adapters.heuristics.AlwaysNo",
    "random": "evaluation.adapters.heuristics.RandomAnswer",
    "openai": "evaluation.adapters.openai.OpenAIModel",
    "command": "evaluation.adapters.command.CommandModel",
    "similarity": "evaluation.adapters.similarity.SimilarityModel",
    "scripted": "evaluation.adapters.scripted.ScriptedModel",
    "transformers": "evaluation.adapters.transformers.TransformersModel",
}


def open_model(model: Model) -> Adapter:
    """Open the model with its stored options; a sentence when it can't be."""
    if model.kind not in ADAPTERS:
        raise ModelMisused(f"{model.slug}: no adapter of kind {model.kind!r}; there are {', '.join(ADAPTERS)}")
    try:
        return import_string(ADAPTERS[model.kind])(**model.options)
    except (OSError, TypeError, ImportError) as error:
        raise ModelMisused(f"{model.slug} can't be opened: {error}") from error
