"""Request fields that restrict a reply to the options and turn thinking on or off; they differ by server."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evaluation.adapters.base import Request
from evaluation.errors import ModelMisused

Fields = dict[str, Any]
ANSWER = "answer"  # the name of the reply's field where servers take a JSON schema
ON, OFF = "medium", "none"  # efforts


def _schema(spellings: Sequence[str]) -> Fields:
    shape = {
        "type": "object",
        "properties": {ANSWER: {"type": "string", "enum": [*spellings]}},
        "required": [ANSWER],
        "additionalProperties": False,
    }
    return {
        "response_format": {"type": "json_schema", "json_schema": {"name": ANSWER, "schema": shape, "strict": True}}
    }


def _grammar(spellings: Sequence[str]) -> Fields:
    return {"grammar": f"root ::= {' | '.join(json.dumps(spelling, ensure_ascii=False) for spelling in spellings)}"}


JSON_SCHEMA = "json_schema"
# vLLM since 0.11 and before; SGLang; llama.cpp's server; hosted ones, Ollama and all that take JSON schemas.
CHOICE_AS: Mapping[str, Callable[[Sequence[str]], Fields]] = {
    "structured_outputs": lambda spellings: {"structured_outputs": {"choice": [*spellings]}},
    "guided_choice": lambda spellings: {"guided_choice": [*spellings]},
    "regex": lambda spellings: {"regex": "|".join(map(re.escape, spellings))},
    "grammar": _grammar,
    JSON_SCHEMA: _schema,
}


def _by_template(thinking: bool | int) -> Fields:
    switched = {"chat_template_kwargs": {"enable_thinking": thinking is not False}}
    return switched | ({} if isinstance(thinking, bool) else {"thinking_token_budget": thinking})


def _by_effort(thinking: bool | int) -> Fields:
    if not isinstance(thinking, bool):
        raise ModelMisused("thinking_as effort supports no token budget: set thinking to on or off")
    return {"reasoning_effort": ON if thinking else OFF}


def _by_reasoning(thinking: bool | int) -> Fields:
    return {"reasoning": {"enabled": thinking} if isinstance(thinking, bool) else {"max_tokens": thinking}}


# vLLM, and SGLang without a budget; OpenAI's models; OpenRouter.
THINKING_AS: Mapping[str, Callable[[bool | int], Fields]] = {
    "template": _by_template,
    "effort": _by_effort,
    "reasoning": _by_reasoning,
}


def spellings_of(options: Sequence[str]) -> list[str]:
    """Each option as the item has it and with a capital first letter."""
    return [*dict.fromkeys(text for option in options for text in (option, option[:1].upper() + option[1:]))]


def fields_for(request: Request, *, chooses: bool, choice_as: str, thinking_as: str) -> Fields:
    """The fields that express this request in the server's dialect; raises ModelMisused."""
    fields: Fields = {}
    if chooses:
        if choice_as not in CHOICE_AS:
            raise ModelMisused("option choice_as, how the options are sent to the server, is missing")
        fields |= CHOICE_AS[choice_as](spellings_of(request.options))
    if request.thinking is not None:
        if thinking_as not in THINKING_AS:
            raise ModelMisused("option thinking_as, how thinking is turned on or off, is missing")
        fields |= THINKING_AS[thinking_as](request.thinking)
    return fields


def merged(fields: Fields, extra: Mapping[str, Any]) -> Fields:
    """Merge the model's own fields into these; objects that occur in both are merged, too."""
    both = {
        name: {**fields[name], **value} if isinstance(fields.get(name), dict) and isinstance(value, Mapping) else value
        for name, value in extra.items()
    }
    return fields | both


def option_in(text: str, request: Request, choice_as: str) -> str | None:
    """The option that a constrained reply names; None if it names none."""
    if choice_as == JSON_SCHEMA:
        try:
            value = json.loads(text)
            text = str(value[ANSWER]) if isinstance(value, dict) and ANSWER in value else text
        except (ValueError, RecursionError):
            pass
    stripped = text.strip()
    return stripped if stripped in spellings_of(request.options) else None
