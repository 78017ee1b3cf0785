"""Reads a reply that names one of the question's own options: yes or no, words, or their letters."""

import re

from evaluation.parsing.normalize import DENIAL, nothing_in, plain, word
from measures.scores.parsed_answers import AMBIGUOUS, Parsed, ParserContext

EDGES = " \t\r\n.,;:!?()[]{}–—=-"
STATED = re.compile(
    r"\b(?:final )?(?:answer|option|choice)(?:\s+is)?\s*[:=]?\s*(?:the\s+)?(?:option\s+)?(\(?[^\n]{1,200})"
)
BETWEEN = word("or|and|either|both|maybe|perhaps")


def read_one_option(raw: str, context: ParserContext) -> Parsed:
    """The option after the last "answer", at the beginning, or the only one named; None if several are named."""
    reply, options = plain(raw), [option.casefold() for option in context.options]
    if reply.strip(EDGES) in options:
        return Parsed(reply.strip(EDGES))
    for text in (*reversed(STATED.findall(reply)), reply):
        if found := _leading(text, options):
            return Parsed(found)
    named = _named(reply, options)
    if not named:
        return nothing_in(raw)
    if len(named) > 1 or DENIAL.search(reply):
        return Parsed(None, AMBIGUOUS)
    return Parsed(named.pop())


def _leading(text: str, options: list[str]) -> str | None:
    """The option with which the text begins, unless the text offers another one beside it ("yes or no")."""
    bare = text.lstrip(EDGES)
    fitting = [option for option in options if re.match(rf"{re.escape(option)}(?![^\W_])", bare)]
    if not fitting:
        return None
    longest = max(fitting, key=len)
    rest = bare[len(longest) :]
    first = rest.partition("\n")[0]
    if BETWEEN.match(rest.lstrip(" ,/")) or (len(longest) == 1 and not _ends_a_letter(text, first)):
        return None
    return longest


def _ends_a_letter(text: str, rest: str) -> bool:
    """Whether a letter is an option: alone, in brackets, or before punctuation; "a" before a word is an article."""
    return not rest.strip() or text.lstrip().startswith("(") or rest.lstrip()[0] in ".,:;)]–—"


def _named(reply: str, options: list[str]) -> set[str]:
    """The options that the text names as whole words; letters only in brackets or after "option"."""
    if all(len(one) == 1 for one in options):
        found = set(re.findall(r"\(([a-z])\)", reply)) | set(re.findall(r"\b(?:option|choice|answer) ([a-z])\b", reply))
        return found & set(options)
    found = {option for option in options if word(re.escape(option)).search(reply)}
    return {one for one in found if not any(one != other and one in other for other in found)}
