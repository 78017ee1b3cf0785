"""Reads the log-probabilities of the options: the answer is the most likely one."""

import json
from collections.abc import Sequence

from measures.scores.log_probabilities import NotLogProbabilities, checked_log_probs, margin_of, most_likely
from measures.scores.parsed_answers import AMBIGUOUS, UNREAD, Parsed, ParserContext


def written(log_probs: dict[str, float]) -> str:
    """The log-probabilities as the text of a reply."""
    return json.dumps({option: round(value, 6) for option, value in log_probs.items()})


def log_probs_in(raw: str, options: Sequence[str]) -> dict[str, float]:
    """The log-probability of each option in such a text; raises NotLogProbabilities."""
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
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
