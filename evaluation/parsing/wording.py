"""What the rules of CRAFT, PACS and the last line share: a reply without its markup, refusals, denials."""

import re

from measures.answers import REFUSED, UNREAD, Parsed

MARKUP = re.compile(r"[*_`#~>\"'“”„«»‘’]+|\\boxed\{([^{}]*)\}|\\text\{([^{}]*)\}|\$+")
REFUSAL = re.compile(
    r"\b(?:i(?:'|’)?\s*a?m (?:sorry|unable|not able)|i (?:can(?:no|')t|can not|cannot|am unable to|won't)|"
    r"as an ai|i apologi[sz]e|(?:can(?:no|')t|cannot|unable to) (?:determine|tell|see|answer|view|watch))",
    re.IGNORECASE,
)
# "not red", "isn't a cube", "neither": which answer is denied is no rule's to find out.
DENIAL = re.compile(r"(?<![^\W_])(?:not|never|neither|nor|without|except|unlike|instead|rather)(?![^\W_])|n['’]t(?!\w)")
BOTH = re.compile(r"(?<![^\W_])(?:both|either|equally|same|tie)(?![^\W_])")


def plain(raw: str) -> str:
    """Lower case without emphasis, quotes and TeX frames; apostrophes inside words stay."""
    kept = re.sub(r"(?<=\w)['’](?=\w)", "\x01", raw)
    bare = MARKUP.sub(lambda match: match[1] or match[2] or " ", kept).replace("\x01", "'")
    return bare.lower().strip()


def nothing_in(raw: str) -> Parsed:
    """No answer was found: did the model decline, or is it only not to be read?"""
    return Parsed(None, REFUSED if REFUSAL.search(raw) else UNREAD)


def word(pattern: str) -> re.Pattern[str]:
    """Such a word on its own, in lower case."""
    return re.compile(rf"(?<![^\W_])(?:{pattern})(?![^\W_])")
