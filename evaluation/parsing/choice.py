"""Reads the letter chosen among four pictures: "B", "Picture B.", "The answer is (b), because …"."""

import re

from evaluation.parsing.normalize import BOTH, DENIAL, nothing_in, plain, word
from measures.scores.parsed_answers import AMBIGUOUS, Parsed, ParserContext

THING = r"(?:picture|image|option|choice|candidate|letter)"
# Possessive: otherwise two \W* backtrack over every way to split 60,000 blanks between them.
LABEL = (
    r"\W*+(?:(?:the |my |final |correct |right |next )*+(?:answer|choice|image|picture|one)"
    r"(?: is| would be| will be)?\W*+)?"
)
# The letter alone at the beginning; with a word after it, "A" may be an article.
ALONE = re.compile(rf"{LABEL}(?:{THING}\s*)?\(?([a-d])\)?\s*(?:$|[.,;:!)\n—–]|(?:because|since|as)\b)")
NAMED = word(rf"{THING}\s*\(?([a-d])\)?")
STATED = re.compile(r"\b(?:answer|choice|pick|choose|select)(?: is| would be)?\W{0,4}([a-d])(?![\w'])")
FRAMED = re.compile(r"\(([a-d])\)")


def read_letter(raw: str, context: ParserContext) -> Parsed:
    """The letter alone at the beginning of the reply, else the only letter that it names as a picture."""
    text = plain(raw)
    alone = ALONE.match(text)
    if alone and not BOTH.search(text.split("\n")[0]) and not _lists(text):
        return Parsed(alone[1])
    found = {*NAMED.findall(text), *STATED.findall(text), *FRAMED.findall(text)}
    if not found:
        return nothing_in(raw)
    if len(found) > 1 or DENIAL.search(text) or BOTH.search(text) or word("or|maybe|perhaps").search(text):
        return Parsed(None, AMBIGUOUS)
    return Parsed(found.pop())


def _lists(text: str) -> bool:
    """Whether lines begin with different letters; such a reply describes the pictures in turn."""
    return len({line[0] for line in re.findall(r"(?m)^\W{0,4}([a-d])\s*[.):]", text)}) > 1
