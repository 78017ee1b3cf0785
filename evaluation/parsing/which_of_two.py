"""Reads which of two videos is impossible: the first is the item's own clip, the second its twin."""

from evaluation.parsing.last_line import EDGES, LABEL
from evaluation.parsing.normalize import nothing_in, plain
from measures.scores.parsed_answers import Parsed, ParserContext

# The answer about the item's own clip: `no` (not plausible) if the first video is the impossible one.
FIRST = ("first", "first video", "the first", "the first video", "1", "video 1")
SECOND = ("second", "second video", "the second", "the second video", "2", "video 2")
MEANS = dict.fromkeys(FIRST, "no") | dict.fromkeys(SECOND, "yes")


def read_which(raw: str, context: ParserContext) -> Parsed:
    """`no` if the first video is named alone on the last line, `yes` if the second is."""
    line = next((line for raw_line in reversed(raw.splitlines()) if (line := plain(raw_line).strip(EDGES))), "")
    found = MEANS.get(LABEL.sub("", line).strip(EDGES).casefold())
    return Parsed(found) if found else nothing_in(raw)
