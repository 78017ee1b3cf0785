"""An error in JSON, whatever its shape: its words, the status that its code means, and whether waiting may mend it."""

from collections.abc import Mapping
from typing import Any

DEEPEST = 5  # levels of objects and lists
CODES = ("code", "status", "type")  # OpenAI's code, or the status of Google's, comes before the wider type
WORDS: Mapping[int, tuple[str, ...]] = {
    400: (
        *("bad_request", "badrequesterror", "invalid_request", "invalid_request_error", "invalid_argument"),
        *("context_length_exceeded", "string_above_max_length", "content_policy_violation", "content_filter"),
    ),
    401: ("invalid_api_key", "authentication_error", "unauthenticated", "unauthorized"),
    402: ("insufficient_quota",),
    403: ("permission_denied", "permission_error", "forbidden"),
    404: ("model_not_found", "not_found", "not_found_error", "notfounderror"),
    429: ("rate_limit_exceeded", "rate_limit_error", "rate_limited", "too_many_requests", "resource_exhausted"),
    500: ("server_error", "internal", "internal_error", "internal_server_error", "internalservererror", "api_error"),
    503: ("unavailable", "service_unavailable", "overloaded", "overloaded_error", "engine_overloaded"),
    504: ("timeout", "request_timeout", "deadline_exceeded"),
}
STATUSES = {word: status for status, words in WORDS.items() for word in words}
TOO_MANY = 429
WAITING_MENDS = (408, 425, TOO_MANY)  # and all of 5xx


def error_within(data: Any) -> Any:
    """What stands under `error`, also in a list of one such object, as Gemini sends it; None if nothing does."""
    if isinstance(data, list):
        data = data[0] if data else None
    return (data.get("error") or None) if isinstance(data, dict) else None


def may_pass(status: int | None) -> bool:
    """Whether waiting may mend an error of this status; one without a status is a failure behind the server."""
    return status is None or status in WAITING_MENDS or status >= 500


def status_in(error: Any) -> int | None:
    """The HTTP status that the error's code means, a number or a word; None if none is known."""
    if isinstance(error, list):
        error = error[0] if error else None
    codes = [error.get(name) for name in CODES] if isinstance(error, dict) else [error]
    return next((status for status in map(_status_of, codes) if status), None)


def _status_of(code: Any) -> int | None:
    word = str(code).strip().casefold().replace("-", "_") if isinstance(code, (int, str)) else ""
    if word.isascii() and word.isdecimal() and len(word) == 3:
        return int(word) if word >= "400" and word < "600" else None
    return STATUSES.get(word)


def words_in(data: Any, levels: int = DEEPEST) -> str:
    """The server's words: a text, FastAPI's list of fields with their faults, or the message of nested errors.

    OpenRouter says in `metadata` which provider failed, and in that provider's words.
    """
    if isinstance(data, str) or not levels:
        return data if isinstance(data, str) else ""
    if isinstance(data, list):
        return "; ".join(filter(None, (words_in(each, levels - 1) for each in data[:DEEPEST])))
    if not isinstance(data, dict):
        return ""
    if isinstance(data.get("msg"), str):
        place = data["loc"] if isinstance(data.get("loc"), list) else []
        return ": ".join(filter(None, (".".join(map(str, place))[:100], data["msg"])))
    names = ("message", "detail", "error", "errors")
    found = next(filter(None, (words_in(data.get(name), levels - 1) for name in names)), "")
    behind = data["metadata"] if isinstance(data.get("metadata"), dict) else {}
    words = (found, behind.get("provider_name"), behind.get("raw"))
    return ": ".join(each for each in words if each and isinstance(each, str))
