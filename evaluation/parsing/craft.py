"""Reads CRAFT's answers: one word of a fixed vocabulary; CRAFT's scorer ignores case."""

import re

from evaluation.parsing.normalize import DENIAL, nothing_in, only_named, plain, word
from measures.scores.parsed_answers import AMBIGUOUS, UNREAD, Parsed, ParserContext

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
# "at least 2" and "2 or 3" name a number but do not answer with it.
HEDGE = word("at least|at most|more than|fewer than|less than|about|around|approximately|maybe|perhaps|up to|or")
NUMBER = re.compile(rf"(?<![\w.,/:-])\d+(?![\w]|[.,:/-]\d)|(?<![^\W_])(?:{'|'.join(NUMBERS)})(?![^\W_])")
NUMERAL = re.compile(r"\d")
# Synonyms of an option.
ALSO = {
    "true": "yes",
    "false": "no",
    "gray": "grey",
    "cube": "cubes|square|squares|box",
    "circle": "circles|ball|disc|disk",
    "triangle": "triangles|triangular",
}


def read_vocabulary(raw: str, context: ParserContext) -> Parsed:
    """The only option that the reply names; a denial ("not red") or a hedge makes the reply ambiguous."""
    text = plain(raw)
    if set(context.options) == {"true", "false"}:
        return _truth(text, raw)
    if context.options and all(option.isascii() and option.isdigit() for option in context.options):
        return _count(text, raw, context.options)
    found = {option for option in context.options if word(_spellings(option)).search(text)}
    return only_named(found, text, raw)


def _truth(text: str, raw: str) -> Parsed:
    found = {option for option in ("true", "false") if word(_spellings(option)).search(text)}
    # "Yes, it does not stop" denies something else; "not true" denies the answer itself.
    if re.search(r"(?<![^\W_])not (?:true|false)(?![^\W_])|n't (?:true|false)(?![^\W_])", text):
        return Parsed(None, AMBIGUOUS)
    if len(found) == 1 and not word("true or false|yes or no|maybe|perhaps").search(text):
        return Parsed(found.pop())
    return Parsed(None, AMBIGUOUS) if found else nothing_in(raw)


def _count(text: str, raw: str, options: tuple[str, ...]) -> Parsed:
    found = {str(_value(match[0])) for match in NUMBER.finditer(text)}
    if not found:
        return Parsed(None, UNREAD) if NUMERAL.search(text) else nothing_in(raw)
    if len(found) == 1 and not HEDGE.search(text) and not DENIAL.search(text):
        return Parsed(found.pop()) if found & set(options) else Parsed(None, UNREAD)
    return Parsed(None, AMBIGUOUS)


def _value(number: str) -> str:
    return str(NUMBERS.index(number)) if number in NUMBERS else number.lstrip("0") or "0"


def _spellings(option: str) -> str:
    return f"{re.escape(option)}|{ALSO[option]}" if option in ALSO else re.escape(option)
