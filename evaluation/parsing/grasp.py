"""GRASP's two rules: Appendix F of its paper, and its official scorer."""

import re
import string
from collections.abc import Iterable, Mapping

from measures.answers import AMBIGUOUS, UNREAD, Asked, Parsed

Keywords = dict[str, dict[str, str]]  # test -> answer -> its keywords

FIRST_WORD = re.compile(r"[\W_]*([^\W_]+)")
NO_PUNCTUATION = str.maketrans("", "", string.punctuation)

# Appendix F of the GRASP paper. A phrase is looked for before the words in it: "right to left" is not a "right".
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
# The official tools/compute_accuracy.py: "square" is added, and a phrase never is a keyword.
OFFICIAL_KEYWORDS: Keywords = PAPER_KEYWORDS | {
    "Shape": {"ball": "ball sphere round", "cube": "cube box rectangular square"},
    "Direction": PAPER_KEYWORDS["Direction"] | {"left": "left", "right": "right"},
}
MIRROR = {"left": ("right", ("right to left", "right to the left")),
          "right": ("left", ("left to right", "left to the right"))}  # fmt: skip


def read_by_paper(raw: str, asked: Asked) -> Parsed:
    """Appendix F: a yes/no reply begins with the word; an open one holds keywords of one answer alone."""
    if asked.kind != "open":
        return _yes_or_no(match[1] if (match := FIRST_WORD.match(raw)) else "")
    return _only_one(_said_by_paper(raw, _labels(PAPER_KEYWORDS, asked)))


def read_by_official_tool(raw: str, asked: Asked) -> Parsed:
    """The rules of the official scorer; an empty reply, on which it crashes, is unread."""
    if asked.kind != "open":
        tokens = raw.split(maxsplit=1)
        return _yes_or_no(tokens[0].lower().translate(NO_PUNCTUATION) if tokens else "")
    tokens = [token.translate(NO_PUNCTUATION) for token in raw.lower().split()]
    labels = _labels(OFFICIAL_KEYWORDS, asked)
    said = [label for label, keywords in labels.items() if set(keywords.split()) & set(tokens)]
    return _correct_or_false(_without_excused(said, raw, asked), asked.expected)


def _yes_or_no(word: str) -> Parsed:
    answer = word.lower()
    return Parsed(answer) if answer in ("yes", "no") else Parsed(None, UNREAD)


def _labels(keywords: Keywords, asked: Asked) -> Mapping[str, str]:
    """Answer -> its keywords; the options themselves where no list is published."""
    return keywords.get(asked.test) or {option: option.lower().replace(" ", "_") for option in asked.options}


def _said_by_paper(raw: str, labels: Mapping[str, str]) -> set[str]:
    """The answers whose keywords occur; longer keywords are taken out of the text first."""
    pairs = [(keyword, label) for label, keywords in labels.items() for keyword in keywords.split()]
    pairs.sort(key=lambda pair: -len(pair[0]))
    patterns = "|".join(f"({_pattern(keyword)})" for keyword, _ in pairs)
    found = re.finditer(rf"(?<![^\W_])(?:{patterns})(?![^\W_])", raw.lower()) if pairs else ()
    return {pairs[match.lastindex - 1][1] for match in found if match.lastindex}


def _pattern(keyword: str) -> str:
    """The words of a keyword with blanks or hyphens between them."""
    return r"[\s-]+".join(map(re.escape, keyword.split("_")))


def _only_one(said: Iterable[str]) -> Parsed:
    labels = sorted(said)
    if len(labels) == 1:
        return Parsed(labels[0])
    return Parsed(None, AMBIGUOUS if labels else UNREAD)


def _without_excused(said: list[str], raw: str, asked: Asked) -> list[str]:
    """Direction alone: "right to left" excuses the word "right" where left is true, and the mirror of it."""
    opposite, phrases = MIRROR.get(asked.expected or "", ("", ()))
    if asked.test == "Direction" and any(phrase in raw.lower() for phrase in phrases):
        return [label for label in said if label != opposite]
    return said


def _correct_or_false(said: list[str], expected: str | None) -> Parsed:
    """Several answers are false, not unclear, where the true one is not among them; all are kept then."""
    if expected is None or expected in said or not said:
        return _only_one(said)
    return Parsed(", ".join(said))
