"""Strict JSON: unique names, and a readable reason for invalid text. NaN is a number that no field accepts."""

import json
from typing import Any

import orjson


def parsed(text: str) -> Any:
    """Parse the text; raises ValueError with a reason that fits into a sentence."""
    fields = _plain_object(text)
    return _strictly(text) if fields is None else fields


def _plain_object(text: str) -> dict[str, Any] | None:
    """The object on this line by the fast parser, or None; as many colons as names prove that no name is repeated."""
    try:
        fields = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return fields if isinstance(fields, dict) and len(fields) == text.count(":") else None


def _strictly(text: str) -> Any:
    try:
        return DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise ValueError(f"{error.msg.lower()} at {place}character {error.colno}") from None
    except ValueError as error:
        raise ValueError("a number is too long" if "digits" in str(error) else str(error)) from None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a name stands twice")
    return fields


# Made once: `json.loads` with these options would make a decoder for each line.
DECODER = json.JSONDecoder(object_pairs_hook=_once_each)
