"""Strict JSON: unique names, and a readable reason for invalid text. NaN is a number that no field accepts."""

import json
from collections.abc import Iterator
from typing import Any

import orjson

from evaluation.submissions.files.archives import NumberedLine, UploadedFile
from evaluation.submissions.files.problems import Problem, Unreadable


def parsed(text: str) -> Any:
    """Parse the text; raises ValueError with a reason that fits into a sentence."""
    fields = _plain_object(text)
    return _strictly(text) if fields is None else fields


def document_in(text: str) -> Any:
    """Parse a file that is one document; raises Unreadable."""
    try:
        return parsed(text)
    except ValueError as error:
        raise Unreadable("not-json", f"not a JSON document: {error}") from error


def on_line(line: NumberedLine) -> Any:
    """Parse one line of a file of objects; a Problem if it can't be parsed."""
    try:
        return parsed(line.text)
    except ValueError as error:
        return Problem("not-json", f"not a JSON object: {error}", line.number)


def records_in(part: UploadedFile) -> Iterator[tuple[int, Any]]:
    """Yield the number and the content, or problem, of each line that is not blank."""
    for line in part.lines():
        if isinstance(line, Problem):
            yield 0, line
        elif line.text.strip():
            yield line.number, on_line(line)


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
