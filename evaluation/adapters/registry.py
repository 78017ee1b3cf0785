"""Every kind of adapter by the path of its class; it is imported when a model of that kind is opened."""

from django.utils.module_loading import import_string

from evaluation.adapters.base import Adapter
from evaluation.errors import ModelMisused
from evaluation.models import Model

ADAPTERS = {
    "always-yes": "evaluation.adapters.heuristics.AlwaysYes",
    "always-no": "evaluation.adapters.heuristics.AlwaysNo",
    "random": "evaluation.adapters.heuristics.RandomAnswer",
    "frequencies": "evaluation.adapters.frequencies.FrequencyModel",
    "openai": "evaluation.adapters.openai.OpenAIModel",
    "command": "evaluation.adapters.command.CommandModel",
    "similarity": "evaluation.adapters.similarity.SimilarityModel",
    "scripted": "evaluation.adapters.scripted.ScriptedModel",
    "transformers": "evaluation.adapters.transformers.TransformersModel",
    "fusion": "evaluation.adapters.fusion.FusionModel",
    "craft-network": "evaluation.adapters.craft.CraftNetwork",
    "pairs": "evaluation.adapters.pairs.PairModel",
}

# Kinds that can be played sound, and the option that says that a model of the kind can. '' is for those that look at
# nothing at all, whose replies hang on no condition.
HEARING = {
    "always-yes": "",
    "always-no": "",
    "random": "",
    "frequencies": "",
    "scripted": "",
    "openai": "audio",
    "command": "audio",
    "similarity": "audio_path",
    "fusion": "hears",
    "pairs": "hears",
}


def hears(model: Model) -> bool:
    """Whether this model has an input for sound."""
    option = HEARING.get(model.kind)
    return option == "" or (option is not None and bool(model.options.get(option)))


def why_deaf(model: Model) -> str:
    """What would have to be different, for a model that does not hear."""
    if option := HEARING.get(model.kind):
        return f"models of kind {model.kind} have one by their option {option}"
    able = ", ".join(kind for kind, option in HEARING.items() if option)
    return f"models of kind {model.kind} are shown pictures and words alone; {able} can be played sound"


def open_model(model: Model) -> Adapter:
    """Open the model with its stored options; a sentence when it can't be."""
    if model.kind not in ADAPTERS:
        raise ModelMisused(f"{model.slug}: no adapter of kind {model.kind!r}; there are {', '.join(ADAPTERS)}")
    try:
        return import_string(ADAPTERS[model.kind])(**model.options)
    except (OSError, TypeError, ImportError) as error:
        raise ModelMisused(f"{model.slug} can't be opened: {error}") from error
