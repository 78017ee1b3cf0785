"""Reads which picture or object a reply chooses: "Picture B.", "The answer is (b), because …", "the second object"."""

import re

from evaluation.parsing.normalize import BOTH, nothing_in, only_named, plain, word
from measures.scores.parsed_answers import UNREAD, Parsed, ParserContext

PICTURE = r"(?:picture|image|option|choice|candidate|letter)"
# Possessive: otherwise two \W* backtrack over every way to split 60,000 blanks between them.
LABEL = (
    r"\W*+(?:(?:the |my |final |correct |right |next )*+(?:answer|choice|image|picture|one)"
    r"(?: is| would be| will be)?\W*+)?"
)
# The letter alone at the beginning; with a word after it, "A" may be an article.
LETTER_ALONE = re.compile(rf"{LABEL}(?:{PICTURE}\s*)?\(?([a-d])\)?\s*(?:$|[.,;:!)\n—–]|(?:because|since|as)\b)")
LETTERS = (
    word(rf"{PICTURE}\s*\(?([a-d])\)?"),
    re.compile(r"\b(?:answer|choice|pick|choose|select)(?: is| would be)?\W{0,4}([a-d])(?![\w'])"),
    re.compile(r"\(([a-d])\)"),
)

FIRST, SECOND = "object 1", "object 2"
THING = "(?:object|item|video|clip)"
MENTIONS = {
    FIRST: rf"{THING}\s*(?:#|no\.?|number)?\s*(?:1|one)|(?:the )?(?:first|1st)(?: (?:{THING}|one))?",
    SECOND: rf"{THING}\s*(?:#|no\.?|number)?\s*(?:2|two)|(?:the )?(?:second|2nd)(?: (?:{THING}|one))?",
}
BARE = {FIRST: "1|one", SECOND: "2|two"}
# Possessive: otherwise two \W* backtrack over every way to split 60,000 braces; a letter or digit must follow anyway.
ANSWER = r"\W*+(?:(?:the |my |final )*+answer(?: is)?\W*+)?"
# The answer alone at the beginning: "Object 1.", "object 2, because object 1 …"; a colon begins a description.
ALONE = re.compile(rf"{ANSWER}(?:(?P<first>{MENTIONS[FIRST]}|1)|(?P<second>{MENTIONS[SECOND]}|2))\s*(?:[.,;!)—–\n]|$)")
# "1. It is soft. 2. …" describes both objects and chooses neither.
LISTED = [re.compile(rf"(?m)^[^\w\n]*+(?:object\s*+)?{number}\s*+[.):]") for number in (1, 2)]
OUT_OF_RANGE = word(r"object\s*(?:[03-9]|\d\d+)")


def read_letter(raw: str, context: ParserContext) -> Parsed:
    """The letter alone at the beginning of the reply, else the only letter that it names as a picture."""
    text = plain(raw)
    alone = LETTER_ALONE.match(text)
    if alone and not BOTH.search(text.split("\n")[0]) and not _lists_letters(text):
        return Parsed(alone[1])
    return only_named({letter for pattern in LETTERS for letter in pattern.findall(text)}, text, raw)


def _lists_letters(text: str) -> bool:
    """Whether lines begin with different letters; such a reply describes the pictures in turn."""
    return len(set(re.findall(r"(?m)^\W{0,4}([a-d])\s*[.):]", text))) > 1


def read_object(raw: str, context: ParserContext) -> Parsed:
    """The only object that the reply names; if it names both, the one that is alone at the beginning."""
    text = plain(raw)
    bare = re.fullmatch(rf"{ANSWER}(?:(?P<first>{BARE[FIRST]})|(?P<second>{BARE[SECOND]}))\W*", text)
    if bare:
        return Parsed(FIRST if bare["first"] else SECOND)
    found = {answer for answer, mention in MENTIONS.items() if word(mention).search(text)}
    if not found:
        return nothing_in(raw)
    alone = ALONE.match(text)
    if alone and not BOTH.search(text.split("\n")[0]) and not _lists_both(text):
        return Parsed(FIRST if alone["first"] else SECOND)
    parsed = only_named(found, text, raw)
    return Parsed(None, UNREAD) if parsed.answer and OUT_OF_RANGE.search(text) else parsed


def _lists_both(text: str) -> bool:
    """Whether a line that begins with 1 comes before one that begins with 2."""
    first, second = LISTED
    begun = first.search(text)
    return begun is not None and second.search(text, begun.end()) is not None
