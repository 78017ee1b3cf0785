"""Parses a server's response into a reply, or into an error that says whether to retry."""

import email.utils
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.policy import LIMITS
from evaluation.errors import ModelMisused
from evaluation.replies import LONGEST_WORDS, RawReply, SpokenReply, after_colon, reply_of
from evaluation.replies.server_errors import TOO_MANY, may_pass, status_in, words_in
from evaluation.replies.sources import NoReply, count_of, reply_in_completion
from measures.scores.log_probabilities import SLACK

LARGEST_BODY = LIMITS["server reply"].most  # bytes
NEVER = (401, 402, 403, 404, 405, 407, 410)
FirstTokens = tuple[tuple[str, float], ...]


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
    """This conversation gets no reply; others may get one. Asked again it gets none either, if `is_lasting`."""

    def __init__(self, words: str, *, is_lasting: bool = True) -> None:
        super().__init__(words)
        self.is_lasting = is_lasting


@dataclass(frozen=True)
class ServerReply:
    """One reply with its token counts, which are None if the server reports none."""

    spoken: SpokenReply
    tokens_in: int | None
    tokens_out: int | None
    model: str
    fingerprint: str
    first_tokens: FirstTokens = ()  # the most likely ones with their log-probabilities, if requested


def reply_from(status: int, headers: Mapping[str, str], body: bytes) -> ServerReply:
    """The reply; raises Later, Malformed, Unanswerable or ModelMisused."""
    if status != 200:
        raise error_of(status, headers, body)
    data = _parsed(body)
    try:
        raw = reply_in_completion(data)
    except NoReply as why:
        raise Malformed(f"the server's answer {why}" if isinstance(data, dict) else _not_json(body)) from None
    first = first_tokens_of(data["choices"][0]) if raw.error is None else ()
    reply = reply_of(replace(raw, tokens=None, finish=raw.finish or None) if first else raw)
    if reply.has_failed:
        raise _failure_within(raw, reply, headers, body)
    return _counted(reply, data, first)


def _failure_within(raw: RawReply, reply: SpokenReply, headers: Mapping[str, str], body: bytes) -> Exception:
    """The exception for a failure that came with status 200: gateways so tell of the server behind them."""
    status = status_in(raw.error)
    if status is None:
        return Broken(f"the server's reply {reply.why}", seconds=wanted_wait(headers))
    return _failure(status, after_colon(words_in(raw.error)), headers, body)


def _counted(reply: SpokenReply, data: Mapping[str, Any], first: FirstTokens) -> ServerReply:
    usage = data["usage"] if isinstance(data.get("usage"), dict) else {}
    tokens = (count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens")))
    names = (data.get("model"), data.get("system_fingerprint"))
    model, fingerprint = (name if isinstance(name, str) else "" for name in names)
    return ServerReply(reply, *tokens, model, fingerprint, first)


def first_tokens_of(choice: Mapping[str, Any]) -> FirstTokens:
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
    return {
        option: min(0.0, float(np.logaddexp.reduce(values))) if values else least for option, values in known.items()
    }


def error_of(status: int, headers: Mapping[str, str], body: bytes) -> Exception:
    """The exception for this status, with the server's message."""
    if 300 <= status < 400:
        elsewhere = headers.get("location", "").partition("?")[0][:LONGEST_WORDS]
        return ModelMisused(f"the server answered {status} and points to {elsewhere or 'nowhere'}: use that base_url")
    message = words_in(_parsed(body))
    words = after_colon(message) if message or not _is_page(body) else " with a web page"
    return _failure(status, words, headers, body)


def _failure(status: int, words: str, headers: Mapping[str, str], body: bytes) -> Exception:
    words = f"the server answered {status}{words}"
    if status == TOO_MANY and b"insufficient_quota" in body:
        return ModelMisused(words)
    if may_pass(status):
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


def _is_page(body: bytes) -> bool:
    return body.lstrip()[:9].lower().startswith((b"<!doctype", b"<html"))


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
