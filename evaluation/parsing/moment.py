"""Reads a second of the clip, or the word nothing, alone on the last line or after "Answer:"."""

from evaluation.parsing.last_line import EDGES, LABEL
from evaluation.parsing.normalize import nothing_in, plain
from measures.scores.moment_answers import moment_in
from measures.scores.parsed_answers import Parsed, ParserContext


def read_moment(raw: str, context: ParserContext) -> Parsed:
    """The number of seconds as plain text, or `nothing`."""
    line = next((line for raw_line in reversed(raw.splitlines()) if (line := plain(raw_line).strip(EDGES))), "")
    found = moment_in(LABEL.sub("", line))
    return Parsed(found) if found is not None else nothing_in(raw)
