"""Facts for the run card about a saved model: hashes of its template, tokenizer, processor and settings."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from evaluation.adapters.transformers.loading import LoadedModel

# Sampling settings of generate(); the site samples only by the run's temperature.
DRAWING = ("do_sample", "temperature", "top_p", "top_k", "min_p", "typical_p", "epsilon_cutoff", "eta_cutoff")
IDENTITY = ("_name_or_path", "name_or_path", "transformers_version", "_from_model_config")  # not the model's


def card_of(opened: LoadedModel) -> dict[str, Any]:
    """Hashes of template, tokenizer, processor and generation settings, and which of those settings are used."""
    generation = opened.model.generation_config.to_diff_dict()
    settings = {name: value for name, value in generation.items() if name not in IDENTITY}
    used = {name: value for name, value in settings.items() if name not in DRAWING and not name.endswith("token_id")}
    return {
        "template": hash_of(opened.processor.chat_template),
        "template options": dict(opened.template_options),
        "tokenizer": hash_of(tokenizer_facts(opened.tokenizer)),
        "processor": hash_of(processor_facts(opened)),
        "generation": hash_of(settings),
        "generation settings used": used,
        "generation settings not used": {name: settings[name] for name in DRAWING if name in settings},
        "attention": getattr(opened.model.config, "_attn_implementation", None) or "eager",
    }


def tokenizer_facts(tokenizer: Any) -> list[Any]:
    """All rules that turn text into tokens, whichever file they come from."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    rules = json.loads(backend.to_str()) if backend is not None else sorted(tokenizer.get_vocab().items())
    if isinstance(rules, dict):  # padding and truncation are left over from the last call
        rules = {name: value for name, value in rules.items() if name not in ("padding", "truncation")}
    return [rules, tokenizer.special_tokens_map, getattr(tokenizer, "add_bos_token", None)]


def processor_facts(opened: LoadedModel) -> Mapping[str, Any]:
    """The processor's settings for images and clips; {} for a text-only model."""
    if opened.processor is opened.tokenizer:
        return {}
    return {name: value for name, value in opened.processor.to_dict().items() if name not in IDENTITY}


def hash_of(value: Any) -> str:
    """SHA-256 over a text, or over a value as JSON with sorted keys."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
