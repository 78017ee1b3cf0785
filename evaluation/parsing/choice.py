"""Four pictures to choose from are answered with a letter: "B", "Picture B.", "The answer is (b), because …"."""

import re

from evaluation.parsing.wording import BOTH, DENIAL, nothing_in, plain, word
from measures.answers import AMBIGUOUS, Asked, Parsed

THING = r"(?:picture|image|option|choice|candidate|letter)"
# Possessive, since two rows of \W would try every way to share 60,000 blanks.
LABEL = (
    r"\W*+(?:(?:the |my |final |correct |right |next )*+(?:answer|choice|image|picture|one)"
    r"(?: is| would be| will be)?\W*+)?"
)
# The letter alone at the beginning; "A" is also an article, so that a word after it makes it none.
ALONE = re.compile(rf"{LABEL}(?:{THING}\s*)?\(?([a-d])\)?\s*(?:$|[.,;:!)\n—–]|(?:because|since|as)\b)")
NAMED = word(rf"{THING}\s*\(?([a-d])\)?")
SAID = re.compile(r"\b(?:answer|choice|pick|choose|select)(?: is| would be)?\W{0,4}([a-d])(?![\w'])")
FRAMED = re.compile(r"\(([a-d])\)")


def read_letter(raw: str, asked: Asked) -> Parsed:
    """The letter that the reply begins with, standing alone, or the only one that it names as a picture."""
    said = plain(raw)
    alone = ALONE.match(said)
    if alone and not BOTH.search(said.split("\n")[0]) and not _lists(said):
        return Parsed(alone[1])
    found = {*NAMED.findall(said), *SAID.findall(said), *FRAMED.findall(said)}
    if not found:
        return nothing_in(raw)
    if len(found) > 1 or DENIAL.search(said) or BOTH.search(said) or word("or|maybe|perhaps").search(said):
        return Parsed(None, AMBIGUOUS)
    return Parsed(found.pop())


def _lists(said: str) -> bool:
    """Whether lines begin with different letters: then the reply goes through the pictures."""
    return len({line[0] for line in re.findall(r"(?m)^\W{0,4}([a-d])\s*[.):]", said)}) > 1
