"""The words of a question -> its meaning; the only module that parses the forms of the 48 kinds of questions."""

import re
from dataclasses import dataclass

SIZES = {"small": "small", "tiny": "small", "large": "large", "big": "large"}
SHAPES = {"cube": "cube", "block": "cube", "triangle": "triangle", "circle": "circle"}
COLOURS = ("gray", "red", "blue", "green", "brown", "purple", "cyan", "yellow")

THING = re.compile(rf"({'|'.join(SIZES)}) ({'|'.join(COLOURS)}) ({'|'.join(SHAPES)})\b")
KIND = re.compile(rf"how many (?:({'|'.join((*SIZES, *COLOURS))}) )?(objects|{'s|'.join(SHAPES)}s)\b")
BASKET, GROUND = re.compile(r"\b(basket|container|bucket)\b"), re.compile(r"\b(ground|floor)\b")
REMOVED = re.compile(rf"if the ({THING.pattern}) is removed")
ANY_REMOVED = re.compile(r"if any (one )?of the other objects are removed")
HINDERED_BY = re.compile(rf"\bby the ({THING.pattern})")
CAUSES, ENABLES = re.compile(r"\b(cause|stimulate|trigger|lead to)"), re.compile(r"\b(enable|help|allow)")
Look = tuple[str, str, str]  # size, colour, shape


class NotUnderstood(ValueError):
    """The question has none of the known forms."""


@dataclass(frozen=True)
class Wording:
    """The parsed question; `things` are in the order of their mention."""

    text: str  # in lower case
    things: tuple[Look, ...]

    @property
    def outcome(self) -> str:
        """The event that the question is about: `enter` the basket, `fall` to the ground, or ''."""
        return "enter" if BASKET.search(self.text) else "fall" if GROUND.search(self.text) else ""

    @property
    def counts(self) -> bool:
        return "how many" in self.text or "number of objects" in self.text

    @property
    def kind_counted(self) -> tuple[str, str]:
        """Attribute and value that restrict the count, such as ("color", "red"), or two empty words."""
        found = KIND.search(self.text)
        if not found:
            return "", ""
        word, noun = found[1], found[2].removesuffix("s")
        if noun in SHAPES:
            return "shape", SHAPES[noun]
        if word in SIZES:
            return "size", SIZES[word]
        return ("color", word) if word else ("", "")

    @property
    def removed(self) -> Look | None:
        """The thing that is removed in the question, if any."""
        found = REMOVED.search(self.text)
        return _look(found[1]) if found else None

    @property
    def is_any_removed(self) -> bool:
        return bool(ANY_REMOVED.search(self.text))

    @property
    def relation(self) -> str:
        """How one thing affects another's outcome: `prevent`, `cause`, `enable` or ''."""
        if " from " in self.text:
            return "prevent"
        return "cause" if CAUSES.search(self.text) else "enable" if ENABLES.search(self.text) else ""

    @property
    def affector(self) -> Look:
        """The thing that affects the other: named first unless the sentence is passive."""
        found = HINDERED_BY.search(self.text)
        return _look(found[1]) if found else self.things[0]

    @property
    def others(self) -> tuple[Look, ...]:
        """The things named besides the affector or the removed one."""
        own = self.removed or self.affector
        return tuple(look for look in self.things if look != own)

    @property
    def order(self) -> str:
        """`after` or `before`, whichever comes first in the sentence, or ''."""
        found = re.search(r"\b(after|before)\b", self.text)
        return found[1] if found else ""


def read(question: str) -> Wording:
    text = question.casefold().strip()
    return Wording(text, tuple(_look(found[0]) for found in THING.finditer(text)))


def _look(text: str) -> Look:
    size, colour, shape = text.split()
    return SIZES[size], colour, SHAPES[shape]
