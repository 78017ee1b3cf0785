"""How a reply ended, by the word that a server or program gives for it: a word not listed here is a failure.

The words of OpenAI, vLLM, SGLang, llama.cpp, TGI, Mistral, Anthropic, Gemini, Bedrock and Zhipu; case does not matter.
"""

from typing import Any

from evaluation.adapters.base import CUT_OFF, REFUSED

COMPLETE = (
    *("stop", "stop_sequence", "eos", "eos_token", "end_turn", "complete"),
    *("tool_calls", "tool_use", "function_call"),  # of tools that nobody offered: the model has said what it wanted to
)
TOO_LONG = ("length", "max_tokens", "model_length", "model_context_window_exceeded", "repetition")
FILTERED = (
    *("content_filter", "content_filtered", "guardrail_intervened", "refusal", "sensitive"),
    *("safety", "recitation", "blocklist", "prohibited_content", "spii"),
)
ENDINGS = dict.fromkeys(COMPLETE, "") | dict.fromkeys(TOO_LONG, CUT_OFF) | dict.fromkeys(FILTERED, REFUSED)


def ending_of(finish: Any) -> str | None:
    """ "" (complete), CUT_OFF or REFUSED; None for a failure. Servers that send no word leave it to the text."""
    if finish in (None, ""):
        return ""
    return ENDINGS.get(finish.partition(":")[0].strip().casefold()) if isinstance(finish, str) else None
