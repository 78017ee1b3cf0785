"""Surprises of a clip as the text of a reply. They contain no answer, so nothing is read and scored."""

import json
from collections.abc import Sequence
from typing import Any

from measures.scores.clip_surprise import NotSurprises, checked_surprises, checked_times
from measures.scores.parsed_answers import UNREAD, Parsed, ParserContext

DIGITS = 6


def surprises_written(surprises: Sequence[float], times: Sequence[float]) -> str:
    """The numbers as the text of a reply."""
    return json.dumps(
        {"surprise": [round(one, DIGITS) for one in surprises], "times": [round(one, 3) for one in times]}
    )


def surprises_in(raw: str) -> tuple[list[float], list[float]]:
    """Surprises and their seconds ([] if absent) in such a text; raises NotSurprises."""
    try:
        values: Any = json.loads(raw)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise NotSurprises("no JSON object with `surprise`")
    found = checked_surprises(values.get("surprise"))
    return found, checked_times(values["times"], len(found)) if values.get("times") else []


def read_surprise(raw: str, context: ParserContext) -> Parsed:
    """No answer; this is no problem if the text holds surprises."""
    try:
        surprises_in(raw)
    except NotSurprises:
        return Parsed(None, UNREAD)
    return Parsed("")
