"""Reads GRASP's answers by one of two rules: Appendix F of its paper, or its official scorer."""

import re
import string
from collections.abc import Iterable, Mapping

from measures.scores.parsed_answers import AMBIGUOUS, UNREAD, Parsed, ParserContext

Keywords = dict[str, dict[str, str]]  # test -> answer -> its keywords

FIRST_WORD = re.compile(r"[\W_]*([^\W_]+)")
# "Yes/No", "no or yes" and "yes,no." offer both words; "Yes, no object is missing" says yes.
GAP = r"""[^\S\n]*[*_"'`]*[^\S\n]*"""
HEDGE = re.compile(
    rf"[\W_]*(?:yes|no){GAP}(?:(?:[/|&]|\b(?:or|and)\b){GAP}(?:yes|no)(?![^\W_])"
    rf"|[,;]{GAP}(?:yes|no)(?:[^\w\n]|_)*(?:\n|$))",
    re.IGNORECASE,
)
NO_PUNCTUATION = str.maketrans("", "", string.punctuation)

# Appendix F of the GRASP paper. Phrases are matched before single words: "right to left" contains no "right".
PAPER_KEYWORDS: Keywords = {
    "Shape": {"ball": "ball sphere round", "cube": "cube box rectangular"},
    "Color": {"red": "red", "green": "green", "blue": "blue", "black": "black"},
    "Direction": {
        "forward": "forward forwards up upward upwards",
        "backward": "backward backwards down downward downwards",
        "left": "right_to_left right_to_the_left left",
        "right": "left_to_right left_to_the_right right",
    },
    "RelationalPosition": {"left": "left", "right": "right"},
}
# The official tools/compute_accuracy.py adds "square" and has no phrases among its keywords.
OFFICIAL_KEYWORDS: Keywords = PAPER_KEYWORDS | {
    "Shape": {"ball": "ball sphere round", "cube": "cube box rectangular square"},
    "Direction": PAPER_KEYWORDS["Direction"] | {"left": "left", "right": "right"},
}
MIRROR = {
    "left": ("right", ("right to left", "right to the left")),
    "right": ("left", ("left to right", "left to the right")),
}


def read_by_paper(raw: str, context: ParserContext) -> Parsed:
    """Appendix F: a yes/no reply begins with the word; an open reply has keywords of one answer only.

    A yes/no reply that offers both words is ambiguous.
    """
    if context.kind == "open":
        return _only_one(_answers_by_keywords(raw, _labels(PAPER_KEYWORDS, context)))
    if HEDGE.match(raw):
        return Parsed(None, AMBIGUOUS)
    return _yes_or_no(match[1] if (match := FIRST_WORD.match(raw)) else "")


def read_by_official_tool(raw: str, context: ParserContext) -> Parsed:
    """The rules of the official scorer; it crashes on an empty reply, which is unparsed here."""
    if context.kind != "open":
        tokens = raw.split()
        return _yes_or_no(tokens[0].lower().translate(NO_PUNCTUATION) if tokens else "")
    tokens = [token.translate(NO_PUNCTUATION) for token in raw.lower().split()]
    labels = _labels(OFFICIAL_KEYWORDS, context)
    labels_found = [label for label, keywords in labels.items() if set(keywords.split()) & set(tokens)]
    return _correct_or_false(_without_excused(labels_found, raw, context), context.expected)


def _yes_or_no(word: str) -> Parsed:
    answer = word.lower()
    return Parsed(answer) if answer in ("yes", "no") else Parsed(None, UNREAD)


def _labels(keywords: Keywords, context: ParserContext) -> Mapping[str, str]:
    """The keywords of each answer; without a published list each option is its own keyword."""
    return keywords.get(context.test) or {option: option.lower().replace(" ", "_") for option in context.options}


def _answers_by_keywords(raw: str, labels: Mapping[str, str]) -> set[str]:
    """The answers whose keywords occur; longer keywords are matched first."""
    pairs = [(keyword, label) for label, keywords in labels.items() for keyword in keywords.split()]
    pairs.sort(key=lambda pair: -len(pair[0]))
    patterns = "|".join(f"({_pattern(keyword)})" for keyword, _ in pairs)
    found = re.finditer(rf"(?<![^\W_])(?:{patterns})(?![^\W_])", raw.lower()) if pairs else ()
    return {pairs[match.lastindex - 1][1] for match in found if match.lastindex}


def _pattern(keyword: str) -> str:
    """A pattern of the keyword's words with blanks or hyphens between them."""
    return r"[\s-]+".join(map(re.escape, keyword.split("_")))


def _only_one(labels_found: Iterable[str]) -> Parsed:
    labels = sorted(labels_found)
    if len(labels) == 1:
        return Parsed(labels[0])
    return Parsed(None, AMBIGUOUS if labels else UNREAD)


def _without_excused(labels_found: list[str], raw: str, context: ParserContext) -> list[str]:
    """The answers found; in Direction, "right to left" does not count as "right" if left is correct, and vice versa."""
    opposite, phrases = MIRROR.get(context.expected or "", ("", ()))
    if context.test == "Direction" and any(phrase in raw.lower() for phrase in phrases):
        return [label for label in labels_found if label != opposite]
    return labels_found


def _correct_or_false(labels_found: list[str], expected: str | None) -> Parsed:
    """The only answer found; several without the correct one are a wrong answer, which lists them all."""
    if expected is None or expected in labels_found or not labels_found:
        return _only_one(labels_found)
    return Parsed(", ".join(labels_found))
