"""Shared by the parsers: removal of markup, and patterns of refusals and denials."""

import re

from measures.scores.parsed_answers import AMBIGUOUS, REFUSED, UNREAD, Parsed

MARKUP = re.compile(r"[*_`#~>\"'“”„«»‘’]+|\\boxed\{([^{}]*)\}|\\text\{([^{}]*)\}|\$+")
REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?\s*a?m (?:sorry|unable|not able)|i (?:can(?:no|')t|can not|cannot|am unable to|won't)|"
    r"as an ai|i apologi[sz]e|(?:can(?:no|')t|cannot|unable to) (?:determine|tell|see|answer|view|watch))",
    re.IGNORECASE,
)
# "not red", "isn't a cube", "neither": no parser works out what a denial means.
DENIAL = re.compile(r"(?<![^\W_])(?:not|never|neither|nor|without|except|unlike|instead|rather)(?![^\W_])|n['’]t(?!\w)")
BOTH = re.compile(r"(?<![^\W_])(?:both|either|equally|same|tie)(?![^\W_])")


def plain(raw: str) -> str:
    """The reply in lower case, without emphasis, quotes and TeX frames; apostrophes inside words stay."""
    text = re.sub(r"(?<=\w)['’](?=\w)", "\x01", raw)
    bare = MARKUP.sub(lambda match: match[1] or match[2] or " ", text).replace("\x01", "'")
    return bare.lower().strip()


def nothing_in(raw: str) -> Parsed:
    """The reading of a reply in which no answer was found: refused or unread."""
    return Parsed(None, REFUSED if REFUSAL.search(raw) else UNREAD)


def only_named(found: set[str], text: str, raw: str) -> Parsed:
    """The only answer found in the plain text; a denial ("not red") or a hedge makes the reply ambiguous."""
    if not found:
        return nothing_in(raw)
    if len(found) > 1 or any(pattern.search(text) for pattern in (DENIAL, BOTH, word("or|maybe|perhaps"))):
        return Parsed(None, AMBIGUOUS)
    return Parsed(next(iter(found)))


def word(pattern: str) -> re.Pattern[str]:
    """A regular expression that matches the lower-case pattern as whole words only."""
    return re.compile(rf"(?<![^\W_])(?:{pattern})(?![^\W_])")
