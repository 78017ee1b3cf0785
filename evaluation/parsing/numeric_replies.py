"""Replies that are numbers: log-probabilities of the options, of which the likeliest is the answer, and surprises.

Surprises of a clip contain no answer, so nothing is read and scored.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from measures.scores.clip_surprise import NotSurprises, checked_surprises, checked_times
from measures.scores.log_probabilities import NotLogProbabilities, checked_log_probs, margin_of, most_likely
from measures.scores.parsed_answers import AMBIGUOUS, UNREAD, Parsed, ParserContext

DIGITS = 6


def log_probs_written(log_probs: Mapping[str, float]) -> str:
    """The log-probabilities as the text of a reply."""
    return json.dumps({option: round(value, DIGITS) for option, value in log_probs.items()})


def log_probs_in(raw: str, options: Sequence[str]) -> dict[str, float]:
    """The log-probability of each option in such a text; raises NotLogProbabilities."""
    if (values := _object_in(raw)) is None:
        raise NotLogProbabilities("no JSON object of log-probabilities")
    return checked_log_probs(values, options)


def read_most_likely(raw: str, context: ParserContext) -> Parsed:
    """Read the option with the highest log-probability; several at the top are ambiguous."""
    try:
        best = most_likely(log_probs_in(raw, context.options))
    except NotLogProbabilities:
        return Parsed(None, UNREAD)
    return Parsed(best) if best is not None else Parsed(None, AMBIGUOUS)


def margin_in(raw: str, options: Sequence[str]) -> float | None:
    """The margin in such a text; None if it has none."""
    try:
        return margin_of(log_probs_in(raw, options))
    except NotLogProbabilities:
        return None


def surprises_written(surprises: Sequence[float], times: Sequence[float]) -> str:
    """The numbers as the text of a reply."""
    numbers = {"surprise": (surprises, DIGITS), "times": (times, 3)}
    return json.dumps({name: [round(value, digits) for value in values] for name, (values, digits) in numbers.items()})


def surprises_in(raw: str) -> tuple[list[float], list[float]]:
    """Surprises and their seconds ([] if absent) in such a text; raises NotSurprises."""
    if (values := _object_in(raw)) is None:
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


def _object_in(raw: str) -> dict[str, Any] | None:
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None
