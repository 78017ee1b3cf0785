"""Parses a server's response into a reply, or into an error that says whether to retry."""

import email.utils
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.adapters.base import REFUSED
from evaluation.adapters.dialogue import readable
from evaluation.adapters.endings import ending_of
from evaluation.adapters.openai.server_errors import error_within, status_in, words_in
from evaluation.errors import ModelMisused
from measures.margins import SLACK

LARGEST_BODY = 8 * 2**20  # bytes
TOO_MANY = 429
LATER = (408, 425, TOO_MANY)  # and all of 5xx
NEVER = (401, 402, 403, 404, 405, 407, 410)
LONGEST_WORDS, LONGEST_WORD = 160, 60


class Later(Exception):
    """A temporary failure: retry, after `seconds` if the server gives them."""

    def __init__(self, words: str, *, seconds: float | None = None, is_limit: bool = False) -> None:
        super().__init__(words)
        self.seconds, self.is_limit = seconds, is_limit


class Broken(Later):
    """A reply that tells of a failure behind the server; one that remains is of this question alone."""


class Malformed(Exception):
    """The response is not a chat completion."""

    seconds = None  # nothing tells how long to wait


class Unanswerable(Exception):
    """This conversation gets no reply; others may get one."""


@dataclass(frozen=True)
class ServerReply:
    """One reply with its token counts, which are None if the server reports none."""

    text: str
    thoughts: str  # as separated by the server; '' if missing or part of the text
    ended: str
    tokens_in: int | None
    tokens_out: int | None
    model: str
    fingerprint: str
    first_tokens: tuple[
        tuple[str, float], ...
    ] = ()  # the most likely first tokens with their log-probabilities, if requested


def reply_from(status: int, headers: Mapping[str, str], body: bytes) -> ServerReply:
    """The reply; raises Later, Malformed, Unanswerable or ModelMisused."""
    if status != 200:
        raise error_of(status, headers, body)
    data = _parsed(body)
    if error := error_within(data):  # some gateways report a failure of the server behind them with status 200
        raise _failure_within(error, headers, body)
    if not isinstance(data, dict):
        raise Malformed(_not_json(body))
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Malformed(f"the server's answer holds no choices{_after_colon(words_in(data))}")
    if error := error_within(choices[0]) or error_within(choices[0].get("message")):
        raise _failure_within(error, headers, body)
    text, thoughts, ended = _spoken(choices[0])
    usage = data["usage"] if isinstance(data.get("usage"), dict) else {}
    tokens = (_count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens")))
    names = (data.get("model"), data.get("system_fingerprint"))
    model, fingerprint = (name if isinstance(name, str) else "" for name in names)
    reply = ServerReply(text, thoughts, ended, *tokens, model, fingerprint, first_tokens_of(choices[0]))
    if says_nothing(reply) and (_wrote_nothing(usage) or not choices[0].get("finish_reason")):
        raise Broken("the server's reply holds no text, and no token of one")
    return reply


def says_nothing(reply: ServerReply) -> bool:
    return not (reply.text.strip() or reply.thoughts or reply.first_tokens or reply.ended == REFUSED)


def _wrote_nothing(usage: Mapping[str, Any]) -> bool:
    """Whether the server counted no token of the reply; Gemini counts thoughts in the total alone."""
    read, wrote, total = (_count(usage.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    return wrote == 0 and (total or 0) <= (read or 0)


def first_tokens_of(choice: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    """The field `logprobs.content[0].top_logprobs`; () if the server sends none."""
    try:
        listed = choice["logprobs"]["content"][0]["top_logprobs"]
        return tuple((str(each["token"]), float(each["logprob"])) for each in listed)
    except (KeyError, IndexError, TypeError, ValueError):
        return ()


def log_probs_of(tops: Sequence[tuple[str, float]], options: Sequence[str]) -> dict[str, float]:
    """The log-probability of each option as the first token, summed over its spellings; raises Unanswerable.

    An option that is not listed is less likely than all listed tokens: it gets the lowest listed value, an upper bound.
    """
    if not tops:
        raise Unanswerable("the server's reply holds no log-probabilities (logprobs)")
    known: dict[str, list[float]] = {option: [] for option in options}
    for token, value in tops:
        if not -math.inf < value <= SLACK:
            raise Unanswerable(f"the server's log-probability of {token[:20]!r} is {value:g}, and not a number up to 0")
        if (name := token.strip().casefold()) in known:
            known[name].append(value)
    if not any(known.values()):
        raise Unanswerable(f"none of {', '.join(options)} is among the {len(tops)} likeliest first tokens")
    least = min(value for _, value in tops)
    return {option: min(0.0, _added(values)) if values else least for option, values in known.items()}


def _added(log_probs: Sequence[float]) -> float:
    most = max(log_probs)
    return most + math.log(sum(math.exp(value - most) for value in log_probs))


def _spoken(choice: dict[str, Any]) -> tuple[str, str, str]:
    """(text, thoughts, how it ended); the text may be empty, as of a model that thinks first."""
    message, finish = choice.get("message"), choice.get("finish_reason")
    if (ended := ending_of(finish)) is None:
        raise Broken(f"the server's reply ended with {str(finish)[:LONGEST_WORD]!r} (finish_reason)")
    if not isinstance(message, dict):
        raise Malformed("the server's answer holds no message")
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        return refusal, "", REFUSED
    return _text_of(message.get("content")), _thoughts_of(message), ended


def _thoughts_of(message: dict[str, Any]) -> str:
    """The thoughts: vLLM and DeepSeek's reasoning_content, Ollama and OpenRouter's reasoning, Mistral's thinking."""
    thoughts = [message[name] for name in ("reasoning_content", "reasoning") if isinstance(message.get(name), str)]
    content = message.get("content")
    for part in content if isinstance(content, list) else ():
        thinking = part.get("thinking") if isinstance(part, dict) and part.get("type") == "thinking" else None
        thoughts.append(thinking if isinstance(thinking, str) else _text_of(thinking))
    return next((each for each in thoughts if each), "")


def _text_of(content: Any) -> str:
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(text for text in texts if isinstance(text, str))
    if content is not None and not isinstance(content, str):
        raise Malformed("the server's answer holds something else than text")
    return content or ""


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> Exception:
    """The exception for this status, with the server's message."""
    if 300 <= status < 400:
        elsewhere = headers.get("location", "").partition("?")[0][:LONGEST_WORDS]
        return ModelMisused(f"the server answered {status} and points to {elsewhere or 'nowhere'}: use that base_url")
    message = words_in(_parsed(body))
    words = _after_colon(message) if message or not _is_page(body) else " with a web page"
    return _failure(status, words, headers, body)


def _failure_within(error: Any, headers: Mapping[str, str], body: bytes) -> Exception:
    """The exception for an error that came with status 200."""
    status, words = status_in(error), _after_colon(words_in(error))
    if status is None:
        return Broken(f"the server's reply holds an error{words}", seconds=wanted_wait(headers))
    return _failure(status, words, headers, body)


def _failure(status: int, words: str, headers: Mapping[str, str], body: bytes) -> Exception:
    words = f"the server answered {status}{words}"
    if status == TOO_MANY and b"insufficient_quota" in body:
        return ModelMisused(words)
    if status in LATER or status >= 500:
        return Later(words, seconds=wanted_wait(headers), is_limit=status == TOO_MANY)
    return ModelMisused(words) if status in NEVER else Unanswerable(words)


def wanted_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds of Retry-After, given as a number or a date by the server's own clock (RFC 9110, 10.2.3)."""
    header = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(header)) if float(header) < float("inf") else None
    except ValueError:
        pass
    if (until := _seconds_of(header)) is None:
        return None
    now = _seconds_of(headers.get("date", ""))
    return max(0.0, until - (time.time() if now is None else now))


def _seconds_of(date: str) -> float | None:
    try:
        return email.utils.parsedate_to_datetime(date).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def _not_json(body: bytes) -> str:
    if _is_page(body):
        return "the server answered with a web page (HTML), not with JSON: is base_url right?"
    start = " ".join(body[:60].decode("utf-8", "replace").split())
    return f"the server's answer is not the JSON of a chat completion; it begins {start!r}"


def _after_colon(words: str) -> str:
    """The server's words as they can be stored: no half of a pair of surrogates, no NUL."""
    words = readable(words).replace("\x00", "\ufffd")
    return f": {' '.join(words.split())[:LONGEST_WORDS]}" if words.strip() else ""


def _is_page(body: bytes) -> bool:
    return body.lstrip()[:9].lower().startswith((b"<!doctype", b"<html"))


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
