"""Reads which of PACS's two objects a reply chooses: "Object 2", "the second object", "2"."""

import re

from evaluation.parsing.normalize import BOTH, DENIAL, nothing_in, plain, word
from measures.scores.parsed_answers import AMBIGUOUS, UNREAD, Parsed, ParserContext

FIRST, SECOND = "object 1", "object 2"
THING = "(?:object|item|video|clip)"
MENTIONS = {
    FIRST: rf"{THING}\s*(?:#|no\.?|number)?\s*(?:1|one)|(?:the )?(?:first|1st)(?: (?:{THING}|one))?",
    SECOND: rf"{THING}\s*(?:#|no\.?|number)?\s*(?:2|two)|(?:the )?(?:second|2nd)(?: (?:{THING}|one))?",
}
BARE = {FIRST: "1|one", SECOND: "2|two"}
# Possessive: otherwise two \W* backtrack over every way to split 60,000 braces; a letter or digit must follow anyway.
LABEL = r"\W*+(?:(?:the |my |final )*+answer(?: is)?\W*+)?"
# The answer alone at the beginning: "Object 1.", "object 2, because object 1 …"; a colon begins a description.
ALONE = re.compile(rf"{LABEL}(?:(?P<first>{MENTIONS[FIRST]}|1)|(?P<second>{MENTIONS[SECOND]}|2))\s*(?:[.,;!)—–\n]|$)")
# "1. It is soft. 2. …" describes both objects and chooses neither.
LISTED = [re.compile(rf"(?m)^[^\w\n]*+(?:object\s*+)?{number}\s*+[.):]") for number in (1, 2)]
OUT_OF_RANGE = word(r"object\s*(?:[03-9]|\d\d+)")


def read_object(raw: str, context: ParserContext) -> Parsed:
    """The only object that the reply names; if it names both, the one that is alone at the beginning."""
    text = plain(raw)
    bare = re.fullmatch(rf"{LABEL}(?:(?P<first>{BARE[FIRST]})|(?P<second>{BARE[SECOND]}))\W*", text)
    if bare:
        return Parsed(FIRST if bare["first"] else SECOND)
    found = {answer for answer, mention in MENTIONS.items() if word(mention).search(text)}
    if not found:
        return nothing_in(raw)
    alone = ALONE.match(text)
    if alone and not BOTH.search(text.split("\n")[0]) and not _lists_both(text):
        return Parsed(FIRST if alone["first"] else SECOND)
    if len(found) > 1 or DENIAL.search(text) or BOTH.search(text) or word("or|maybe|perhaps").search(text):
        return Parsed(None, AMBIGUOUS)
    return Parsed(None, UNREAD) if OUT_OF_RANGE.search(text) else Parsed(found.pop())


def _lists_both(text: str) -> bool:
    """Whether a line that begins with 1 comes before one that begins with 2."""
    first, second = LISTED
    begun = first.search(text)
    return begun is not None and second.search(text, begun.end()) is not None
