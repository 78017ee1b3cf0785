"""The last clause of a text, its verb and noun, and the dictionary action that they match."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tools.giraffe_prepare.english import ADVERBS, AUX, JOINED_BY, NOUN, PRONOUN, VERB, TaggedWord, tagged

LEADING = re.compile(
    r"^(?:(?:and|but|or|so|then|also|finally|next|lastly|while|afterwards?|after that)\b[\s,]*)+", re.I
)
TRAILING = re.compile(r"(?:[\s,;]|\b(?:and|but|or|so|then|and then|before|while)\b)+$", re.IGNORECASE)
CLAUSE = re.compile(r"[.!?;,:]+")
VERBS = (VERB, AUX)
COORDINATING = frozenset(("and", "or", "but", "then"))
EMPTY = frozenset(
    ("something", "somewhere", "someone", "some", "one", "it", "be", "of", "a", "an", "the", "to", "from", "in", "on")
)


@dataclass(frozen=True)
class Clause:
    """The last clause of a text: the text before it, the clause as a sentence, the lemmas of its verb and noun."""

    before: str
    sentence: str
    verb: str
    noun: str

    @property
    def phrase(self) -> str:
        return f"{self.verb} {self.noun}"


def last_clause(text: str) -> Clause | None:
    """Step one and the first half of step two; None if the last clause has no verb with a noun."""
    text = " ".join(text.split())
    parts = [part for part in CLAUSE.split(text) if part.strip()]
    if not parts:
        return None
    before, clause = _divided(text, parts[-1])
    found = _verb_and_noun(clause)
    if found is None:
        return None
    verb, noun, joined = found
    if joined:  # "sits down and drinks water": the last event begins at the second verb
        before, clause = f"{before} {clause[:joined]}".strip(), clause[joined:]
    clause = LEADING.sub("", clause.strip())
    sentence = clause if _has_subject(clause) else f"{_subject_of(before)} {clause}"
    return Clause(_ended(TRAILING.sub("", before)), _ended(sentence), verb, noun)


def _divided(text: str, last: str) -> tuple[str, str]:
    place = text.rindex(last)
    return text[:place].strip(), last.strip()


def _verb_and_noun(clause: str) -> tuple[str, str, int] | None:
    """(verb lemma, noun lemma, start of the verb's part, or 0 without an earlier verb) for the last noun; or None."""
    words = tagged(clause)
    for place in range(len(words) - 1, 0, -1):
        verb = _verb_before(words, place)
        if words[place].kind == NOUN and verb is not None and not _is_subject(words, place):
            return words[verb].lemma, words[place].lemma, _joined_at(words, verb)
    return None


def _verb_before(words: list[TaggedWord], place: int) -> int | None:
    return next((number for number in range(place - 1, -1, -1) if words[number].kind in VERBS), None)


def _is_subject(words: list[TaggedWord], place: int) -> bool:
    """Whether this noun is the subject of a following verb: "the other laughs", "the dog is barking"."""
    after = next((word for word in words[place + 1 :] if word.text.lower() not in ADVERBS), None)
    return after is not None and after.kind in VERBS and not after.text.endswith("ing")


def _joined_at(words: list[TaggedWord], verb: int) -> int:
    """Where "and drinks water" begins in "sits down and drinks water"; 0 if no verb comes before."""
    if verb > 1 and words[verb - 1].text.lower() == "to" and words[verb - 2].kind == VERB:
        verb -= 2  # "turns to face"
    for place in range(verb - 1, 0, -1):
        word = words[place]
        if word.kind == VERB:
            return 0
        if word.text.lower() in COORDINATING:
            has_verb = any(one.kind in VERBS for one in words[:place])
            return word.at if has_verb else 0
    return 0


def _has_subject(clause: str) -> bool:
    for word in tagged(clause):
        if word.kind in VERBS:
            return False
        if word.kind in (NOUN, PRONOUN):
            return True
    return False


def _subject_of(before: str) -> str:
    """The subject of the last earlier sentence that has one, such as "the person in the kitchen"; else "The person"."""
    for sentence in reversed(re.split(r"[.!?]+", before)):
        for part in map(str.strip, re.split(r"[,;:]+", sentence)):
            part = LEADING.sub("", part)
            words = tagged(part)
            verb = next((place for place, word in enumerate(words) if word.kind in VERBS), 0)
            named = [word for word in words[:verb] if word.text.lower() not in ADVERBS | JOINED_BY]
            if any(word.kind in (NOUN, PRONOUN) for word in named):
                return part[: named[-1].at + len(named[-1].text)]
    return "The person"


def _ended(text: str) -> str:
    """The text with a capital letter and a full stop."""
    text = text.strip().rstrip(",;: ")
    if not text:
        return ""
    return f"{text[0].upper()}{text[1:]}" + ("" if text[-1] in ".!?" else ".")


class Dictionary:
    """Actions by code; phrases are compared by the cosine of their lemmas, and ties by all words of the sentence."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)
        self._lemmas = {code: _lemmas(name) for code, name in self.names.items()}

    def code_of(self, clause: Clause) -> str | None:
        """The code of the most similar action; None if no action has the verb or the noun."""
        wanted = {clause.verb, clause.noun}
        likes = {code: _cosine(wanted, lemmas) for code, lemmas in self._lemmas.items()}
        most = max(likes.values(), default=0.0)
        if most <= 0:
            return None
        best = [code for code, like in likes.items() if math.isclose(like, most)]
        words = _words(clause.sentence)
        return max(best, key=lambda code: (round(_cosine(words, _words(self.names[code])), 9), -len(self.names[code])))


def _words(text: str) -> set[str]:
    return {word.lemma for word in tagged(text)}


def _lemmas(name: str) -> set[str]:
    return _words(name) - EMPTY


def _cosine(one: set[str], other: set[str]) -> float:
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0
