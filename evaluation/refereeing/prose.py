"""Scores that a referee writes as text.

The reply is cut where a dimension's name stands at the beginning of a line or sentence with a colon, a dash or the
word `score` behind it. In each piece the score stands first (`score: [4]`, `4/5`), or after the reasons in a sentence
of its own (`Score: 4`); numbers inside a reason are never taken. GPT-4's replies that the Giraffe paper prints drop
the brackets and separate the dimensions by a blank, a line or an empty line.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from evaluation.refereeing.finding import NUMBER, WORDS, Finding, out_of
from evaluation.refereeing.rubrics import Dimension

EMPHASIS = re.compile(r"(?<![0-9])[*`]+|[*`]+(?![0-9*`])|(?<!\w)_+|_+(?!\w)|<br\s*/?>")
MARK = r"[\s>#•+–—-]{0,20}(?:(?:[0-9]{1,2}|[a-e]|[ivx]{1,3})\s*[.):]\s*|\([0-9]\)\s*)?"
SCALE = r"(?:\s*\(\s*(?:scores?:?\s*)?(?:from\s+)?(?:0\s*(?:-|–|to|or|/)\s*[15]|out\s+of\s+[15])\s*\))?"
BEHIND = r"(?=\s*[:=|(\[]|\s+[–—-]\s|\s+scores?\b|\s*\n|\s*\Z|\s+[0-9])"
SCORE = r"(?:the\s+)?(?:final\s+)?score(?:_i|s)?\b\s*(?:is\b|of\b)?\s*(?:[:=|]|[–—-](?=\s))?\s*"
KEYWORD = re.compile(r"[\s:=|\[({–—-]*" + SCORE, re.IGNORECASE)
LATER = re.compile(r"[\n.!?;\])][\s•>#+–—-]{0,20}(?:the\s+)?score(?:_i)?\s*(?:is\b|[:=])\s*", re.IGNORECASE)
BEFORE_BARE = re.compile(r"[ \t]*(?:[:=|]|[–—-](?=\s))?[ \t]*")
EMPTY = re.compile(r"\[?\s*\]?\s*(?:\.|,|;|reason|rationale|\n|\Z)", re.IGNORECASE)
BETWEEN = r"[\s_-]*"  # the words of a name
SPOKEN = "|".join(WORDS)
VALUE = rf"[\[(]?\s*({NUMBER}|(?:{SPOKEN})\b)"
# A second thought: "or 5", "no, 4", "maybe 3" before the sentence is over.
DOUBT = (
    r"\s*(?:or|to|and|but|no|if|unless|maybe|perhaps|possibly|actually|rather|wait|sorry|correction|make|minus|plus)\b"
    r"[^.\n]{0,40}[0-9]"
)
BECAUSE = r"(?:reason|reasons|reasoning|rationale|explanation|justification|because|since|as|for|due|given|with)\b"
CALM = "|".join((
    r"\s*(?=\n|\Z)",
    rf"[.]{{1,3}}(?![0-9.])(?!{DOUBT})",
    rf"[,;:|](?!\s*[0-9])(?!{DOUBT})",
    r"\s+[–—-]\s+(?=[^\W\d])",
    r"\s*\((?![^)]*[0-9])",
))  # fmt: skip
LIST_GOES_ON = re.compile(r"[\s\S]*?(?:[.;,)]|\s)\s*2\s*[.)]\s*\S")


def in_prose(text: str, dimensions: tuple[Dimension, ...]) -> Iterator[Finding]:
    """What the text gives on each dimension, piece by piece."""
    text = EMPHASIS.sub(lambda found: "\n" if found[0].startswith("<") else "", text)
    names = list(_names(dimensions).finditer(text))
    ends = [*(found.start() for found in names[1:]), len(text)]
    for found, end in zip(names, ends, strict=False):  # without a name there is one end, and nothing to read
        dimension = dimensions[int(str(found.lastgroup)[1:])]
        yield from _of_piece(text[found.end() : end], dimension)


def _of_piece(piece: str, dimension: Dimension) -> Iterator[Finding]:
    """The score at the beginning and those in sentences of their own; whoever compares them finds what differs."""
    first = KEYWORD.match(piece)
    if first:
        yield from _after_the_word(piece[first.end() :], dimension)
    else:
        yield from _bare(piece[BEFORE_BARE.match(piece).end() :], dimension)  # type: ignore[union-attr]
    for later in LATER.finditer(piece, first.end() if first else 0):
        yield from _after_the_word(piece[later.end() :], dimension)


def _after_the_word(rest: str, dimension: Dimension) -> Iterator[Finding]:
    """What follows `score:`; brackets left empty, as in the form that was asked for, say nothing."""
    found = _valued(dimension.highest).match(rest)
    if found:
        yield Finding(dimension, _number(found[1]), found[0].strip())
    elif not EMPTY.match(rest):
        yield Finding(dimension, None, _shortened(rest))


def _bare(rest: str, dimension: Dimension) -> Iterator[Finding]:
    """A number right behind the name: `Accuracy: 4/5`; text there is a reason, and "1. … 2. …" a list of them."""
    found = _bare_valued(dimension.highest).match(rest)
    if found and not (found[1] == "1" and rest[found.end(1) :].startswith(".") and LIST_GOES_ON.match(rest)):
        yield Finding(dimension, float(found[1]), found[0].strip())
    elif not found and _looks_like_a_score(rest):
        yield Finding(dimension, None, _shortened(rest))


def _looks_like_a_score(rest: str) -> bool:
    return bool(re.match(rf"[\[(]?\s*[~≈<>]?\s*{NUMBER}\s*(?:[-–/~%]|to\b|or\b|and\b|,\s*[0-9])", rest))


def _number(said: str) -> float:
    spoken = WORDS.get(said.lower())
    return float(said) if spoken is None else spoken


def _shortened(rest: str) -> str:
    return " ".join(rest.split())[:40]


@lru_cache
def _names(dimensions: tuple[Dimension, ...]) -> re.Pattern[str]:
    """Each dimension's name in all its spellings, where a line or sentence begins."""
    spelt = (
        rf"(?P<d{number}>{BETWEEN.join(map(re.escape, each.label.split()))})" for number, each in enumerate(dimensions)
    )
    begins = r"(?:\A|\n|(?<=[.!?;,|\])}]))"
    lead = r"(?:the\s+)?(?:scores?\s+(?:for|of)\s+)?[\"'\[(]?"
    return re.compile(rf"{begins}{MARK}{lead}(?:{'|'.join(spelt)})[\"'\])]?{SCALE}{BEHIND}", re.IGNORECASE)


@lru_cache
def _valued(highest: int) -> re.Pattern[str]:
    """A number behind `score:`, and nothing after it that takes it back."""
    reason = rf"\s+{BECAUSE}(?![^.\n]{{0,40}}[0-9])|\s+(?=(?-i:[A-Z]))(?!{DOUBT})"
    return re.compile(rf"{VALUE}{_closed(highest)}(?:{CALM}|{reason})", re.IGNORECASE)


@lru_cache
def _bare_valued(highest: int) -> re.Pattern[str]:
    """The same without the word: less may follow."""
    return re.compile(rf"[\[(]?\s*({NUMBER}){_closed(highest)}(?:{CALM})", re.IGNORECASE)


def _closed(highest: int) -> str:
    """Brackets, "/5" and "points" behind the number, in either order."""
    scale = rf"(?:{out_of(highest)}|\s*\(\s*out\s+of\s+{highest}\s*\))?"
    return rf"\s*\]?{scale}(?:\s*points?\b)?\s*[\])]?(?![\w/%½¼¾~+*×^-])"
