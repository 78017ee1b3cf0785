"""Finds the replies in the JSON of servers and programs; `submissions.files.native` has the samples of harnesses.

Shapes: OpenAI's chat completions as OpenAI, Azure, OpenRouter, vLLM, SGLang, llama.cpp, Ollama, Gemini, Anthropic,
z.AI, DeepSeek, Moonshot and Mistral send them. An `error` stands in place of a reply wherever it is found.
"""

from collections.abc import Mapping
from typing import Any

from evaluation.replies import RawReply, after_colon
from evaluation.replies.server_errors import error_within, words_in

THOUGHTS = ("reasoning_content", "reasoning", "thinking")  # vLLM and DeepSeek; Ollama and OpenRouter; Mistral
NUMBERS = ("surprise", "log_probs")  # what a program may give in place of a text


class NoReply(ValueError):
    """The record holds no reply; the message ends the sentence "the answer …"."""


def reply_in_completion(data: Any) -> RawReply:
    """The reply in a server's chat completion; raises NoReply."""
    if error := error_within(data):
        return RawReply(None, error=error)
    if not isinstance(data, Mapping):
        raise NoReply("is no JSON object")
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise NoReply(f"holds no choices{after_colon(words_in(data))}")
    choice, message = choices[0], choices[0].get("message")
    if error := error_within(choice) or error_within(message):
        return RawReply(None, error=error)
    finish = choice.get("finish_reason")
    if not isinstance(message, dict):
        raise NoReply("holds no message")
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        return RawReply(refusal, finish="refusal")
    text, tokens = text_of(message.get("content")), tokens_written(data.get("usage"))
    return RawReply(text, thoughts_of(message), "" if finish is None else finish, tokens=tokens)


def reply_of_program(answer: Mapping[str, Any]) -> RawReply:
    """The reply in a program's answer, without a text where it gives numbers; raises NoReply."""
    if error := error_within(answer):
        return RawReply(None, error=error)
    text, thoughts = answer.get("text"), answer.get("thoughts")
    if isinstance(text, str):
        return RawReply(text, thoughts if isinstance(thoughts, str) else "", answer.get("finish_reason"))
    if any(name in answer for name in NUMBERS):
        return RawReply(None)
    raise NoReply("has neither a text nor an error")


def text_of(content: Any) -> str | None:
    """The text of a message: a string, or parts of type `text`; raises NoReply for anything else."""
    if isinstance(content, list):
        parts = [part.get("text") for part in _dicts(content) if part.get("type") == "text"]
        texts = [text for text in parts if isinstance(text, str)]
        if len(texts) == len(parts):
            return "".join(texts)
    elif content is None or isinstance(content, str):
        return content
    raise NoReply("holds something else than text")


def thoughts_of(message: Mapping[str, Any]) -> str:
    """The thoughts of a message: a field of their own, parts of type `thinking` (Mistral) or `reasoning`, or details.

    `reasoning_details` stand beside `reasoning` (OpenRouter) or alone (Snowflake); encrypted ones can't be read.
    """
    thoughts = [message[name] for name in THOUGHTS if isinstance(message.get(name), str)]
    for part in _dicts(message.get("content")):
        inner = part.get(part["type"], part.get("text")) if part.get("type") in THOUGHTS else None
        thoughts.append(text_of(inner) if isinstance(inner, str | list) else None)
    details = [part.get("text") or part.get("summary") for part in _dicts(message.get("reasoning_details"))]
    thoughts.append("\n".join(each for each in details if isinstance(each, str)))
    return next((each for each in thoughts if each), "")


def tokens_written(usage: Any) -> int | None:
    """The tokens of the reply as counted by the server; Gemini counts thoughts in the total alone."""
    read, wrote, total = (count_of(_within(usage, f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    return None if wrote is None else max(wrote, (total or 0) - (read or 0))


def count_of(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _within(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
