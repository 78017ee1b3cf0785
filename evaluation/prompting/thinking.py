"""A run's setting for a model's thinking: on, off, or on with a token budget."""

from collections.abc import Mapping
from typing import Any

from evaluation.adapters.base import MOST_THINKING
from evaluation.errors import RunMisused
from evaluation.models import Model

KEY = "thinking"  # in Run.sampling
ON, OFF = "on", "off"
KINDS = ("transformers", "openai")


def checked_thinking(wanted: Any, model: Model) -> str | int:
    """The setting as stored in Run.sampling; raises RunMisused if it is invalid or unsupported by the model."""
    if model.kind not in KINDS:
        raise RunMisused(f"thinking can't be set for models of kind {model.kind}; it can for {', '.join(KINDS)}")
    if model.kind == "openai" and not model.options.get("thinking_as"):
        raise RunMisused(f"thinking: say by the option thinking_as how {model.slug}'s server is told")
    if wanted in (ON, OFF):
        return str(wanted)
    number = int(wanted) if str(wanted).isdecimal() and len(str(wanted)) < 8 else 0
    if not 1 <= number <= MOST_THINKING:
        raise RunMisused(f"thinking {wanted!r}: on, off, or the most tokens of thoughts, 1 to {MOST_THINKING}")
    return number


def thinking_of(sampling: Mapping[str, Any]) -> bool | int | None:
    """The setting for a request; None if the run leaves it to the model."""
    wanted = sampling.get(KEY)
    return wanted == ON if isinstance(wanted, str) else wanted


def thinking_label(sampling: Mapping[str, Any]) -> str:
    """`thinking off` or `thinking up to 512 tokens`; '' if the run leaves it to the model."""
    wanted = sampling.get(KEY)
    if wanted is None:
        return ""
    if isinstance(wanted, str):
        return {ON: "thinking on", OFF: "thinking off"}.get(wanted, f"thinking {wanted}")
    return f"thinking up to {wanted} tokens"
