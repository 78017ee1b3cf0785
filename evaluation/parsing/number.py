"""Reads a number alone on the last line or after "Answer:", with or without a unit."""

import re

from evaluation.parsing.last_line import EDGES, LABEL
from evaluation.parsing.normalize import nothing_in, plain
from measures.scores.number_answers import NUMBER, number_in
from measures.scores.parsed_answers import Parsed, ParserContext

UNIT = re.compile(rf"({NUMBER})(?:\s*(?:%|°|[a-z]+))?")


def read_number(raw: str, context: ParserContext) -> Parsed:
    """The number as plain text; other words or a second number make the reply unparsed."""
    line = next((line for raw_line in reversed(raw.splitlines()) if (line := plain(raw_line).strip(EDGES))), "")
    found = UNIT.fullmatch(LABEL.sub("", line).strip(EDGES))
    number = number_in(found[1]) if found else None
    return Parsed(number) if number is not None else nothing_in(raw)
