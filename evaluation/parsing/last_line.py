"""Reads a reply that reasons first: its last line must be the answer alone."""

import re

from evaluation.parsing.normalize import nothing_in, plain
from measures.scores.parsed_answers import Parsed, ParserContext

LABEL = re.compile(
    r"^(?:(?:so|therefore|thus|hence),?\s+)?(?:(?:the|my)\s+)?(?:final\s+)?answer(?:\s+is)?\s*[:=\-]?\s*"
)
EDGES = " \t\r\n.,;:!?()[]{}–—="  # a hyphen before a number is a minus
BULLET = re.compile(r"^-\s+")
MEANS = {"true": ("yes",), "false": ("no",), "gray": ("grey",)}


def read_last_line(raw: str, context: ParserContext) -> Parsed:
    """The option on the last non-empty line, which may begin only with "Answer:"."""
    line = next((line for raw_line in reversed(raw.splitlines()) if (line := plain(raw_line).strip(EDGES))), "")
    line_text = " ".join(LABEL.sub("", BULLET.sub("", line)).strip(EDGES).split())
    for option in context.options:
        name = option.casefold()
        if line_text in (name, *MEANS.get(name, ())) or (
            name.startswith("object ") and line_text == name.removeprefix("object ")
        ):
            return Parsed(name)
    return nothing_in(raw)
