"""Reads a reply that reasons first: its last line must be the answer alone, or follow "Answer:" there.

The answer is an option, a number, a second of the clip, or which of two videos is impossible.
"""

import re

from evaluation.parsing.normalize import nothing_in, plain
from measures.scores.number_answers import NUMBER, number_in
from measures.scores.parsed_answers import Parsed, ParserContext

LABEL = re.compile(
    r"^(?:(?:so|therefore|thus|hence),?\s+)?(?:(?:the|my)\s+)?(?:final\s+)?answer(?:\s+is)?\s*[:=\-]?\s*"
)
EDGES = " \t\r\n.,;:!?()[]{}–—="  # a hyphen before a number is a minus
BULLET = re.compile(r"^-\s+")
MEANS = {"true": ("yes",), "false": ("no",), "gray": ("grey",)}
UNIT = re.compile(rf"({NUMBER})(?:\s*(?:%|°|[a-z]+))?")
# The answer about the item's own clip: `no` (not plausible) if the first video is the impossible one.
WHICH = {
    **dict.fromkeys(("first", "first video", "the first", "the first video", "1", "video 1"), "no"),
    **dict.fromkeys(("second", "second video", "the second", "the second video", "2", "video 2"), "yes"),
}


def last_line(raw: str) -> str:
    """The last line of the reply that is not empty, in plain words."""
    return next((line for raw_line in reversed(raw.splitlines()) if (line := plain(raw_line).strip(EDGES))), "")


def read_last_line(raw: str, context: ParserContext) -> Parsed:
    """The option on the last line."""
    line = " ".join(LABEL.sub("", BULLET.sub("", last_line(raw))).strip(EDGES).split())
    for option in context.options:
        name = option.casefold()
        if line in (name, *MEANS.get(name, ())) or (
            name.startswith("object ") and line == name.removeprefix("object ")
        ):
            return Parsed(name)
    return nothing_in(raw)


def read_number(raw: str, context: ParserContext) -> Parsed:
    """The number as plain text, with or without a unit; other words or a second number make the reply unparsed."""
    found = UNIT.fullmatch(LABEL.sub("", last_line(raw)).strip(EDGES))
    number = number_in(found[1]) if found else None
    return Parsed(number) if number is not None else nothing_in(raw)


def read_moment(raw: str, context: ParserContext) -> Parsed:
    """The number of seconds as plain text, or `nothing`."""
    from measures.scores.moment_answers import moment_in  # not part of the scorer in a pack's archive

    found = moment_in(LABEL.sub("", last_line(raw)))
    return Parsed(found) if found is not None else nothing_in(raw)


def read_which(raw: str, context: ParserContext) -> Parsed:
    """`no` if the first of two videos is named, `yes` if the second is."""
    found = WHICH.get(LABEL.sub("", last_line(raw)).strip(EDGES).casefold())
    return Parsed(found) if found else nothing_in(raw)
