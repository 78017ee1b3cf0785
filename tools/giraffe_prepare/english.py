"""Tags verbs and nouns in a plain English sentence, by a dictionary of word forms and rules of word order.

Made for descriptions of short videos: "A person opens the door and then sits on the bed." Forms and lemmas come from
lemminflect (SPECIALIST lexicon), imported on first use; the words before a word decide its part of speech.
"""

import re
from dataclasses import dataclass
from functools import cache

VERB, AUX, NOUN, PRONOUN, JOINING, OTHER = "VERB", "AUX", "NOUN", "PRONOUN", "JOINING", ""
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")  # people write both apostrophes


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


AUXILIARIES = _word_set("am is are was were be been being do does did has have had will would can could may")
PRONOUNS = _word_set(
    "i you he she it we they him them us himself herself themselves itself who someone somebody something anyone "
    "everyone one"
)
JOINED_BY = _word_set("and or but then while as before after when until because so that which")
DETERMINERS = _word_set(
    "a an the this that these those some any no each every another other both several many few two three four multiple "
    "his her its their my your our one's person's"
)
PREPOSITIONS = _word_set(
    "in on at of from into onto to with without through throughout over under by for around near behind beside beneath "
    "off up down out inside outside against across along between toward towards about above below upon like past"
)
ADVERBS = _word_set(
    "down up away back out off over around together again also just now there here still quickly slowly finally "
    "suddenly not very forward inside outside upstairs downstairs twice once"
)
# After these, "to" precedes a place ("walks to bed"); after other words it precedes a verb.
MOTION = _word_set("walk go run move return come head lead bring take back over")
INTRANSITIVE = _word_set("sit stand lie kneel wake get walk run come")


@dataclass(frozen=True)
class TaggedWord:
    """A word with its part of speech, its lemma and its position in the text."""

    text: str
    kind: str
    lemma: str
    at: int


def tagged(text: str) -> list[TaggedWord]:
    """The tagged words of a text; each tag depends on the words before."""
    found: list[TaggedWord] = []
    for match in WORD.finditer(text):
        word = match[0].lower().replace("’", "'")
        kind = _kind(word, found)
        found.append(TaggedWord(match[0], kind, lemma_of(word, kind), match.start()))
    return found


@cache
def lemma_of(word: str, kind: str) -> str:
    """The dictionary's first lemma, or the word itself if it has none."""
    known = _forms(word).get("VERB" if kind == AUX else kind, ())
    return str(known[0]) if known else word


@cache
def _forms(word: str) -> dict[str, tuple[str, ...]]:
    from lemminflect import getAllLemmas

    return dict(getAllLemmas(word))


def _kind(word: str, before: list[TaggedWord]) -> str:
    last = before[-1].text.lower() if before else ""
    if word in DETERMINERS:
        return OTHER
    for kind, words in ((AUX, AUXILIARIES), (JOINING, JOINED_BY), (PRONOUN, PRONOUNS)):
        if word in words:
            return kind
    if word in PREPOSITIONS or word in ADVERBS:
        return OTHER
    forms = _forms(word)
    if "VERB" in forms and (
        _acts(word, last, before) or not ("NOUN" in forms or last in DETERMINERS or last in PREPOSITIONS)
    ):
        return VERB
    return NOUN if "NOUN" in forms or not forms else OTHER


def _acts(word: str, last: str, before: list[TaggedWord]) -> bool:
    """Whether a word that could be a verb is one here."""
    is_plain = lemma_of(word, VERB) == word
    if last in DETERMINERS:
        return False
    if word.endswith("ing"):
        return True
    if last == "to":
        return is_plain and before[-2:][0].lemma not in MOTION
    if last in PREPOSITIONS and last not in ADVERBS:
        return False
    kind = before[-1].kind if before else JOINING
    if is_plain:  # a verb after a singular noun ends in s, so a plain form is part of a name: "coffee mug"
        return kind in (JOINING, PRONOUN) or (last in ADVERBS and not any(one.kind == VERB for one in before))
    if kind in (VERB, AUX):
        return kind == AUX and not word.endswith("ed")
    return kind in (JOINING, PRONOUN, NOUN) or (last in ADVERBS and not _has_object_to_come(last, before))


def _has_object_to_come(last: str, before: list[TaggedWord]) -> bool:
    """Whether the previous word is the particle of a verb that may still need its object: "takes off shoes"."""
    return last in PREPOSITIONS and before[-2:][0].kind == VERB and before[-2].lemma not in INTRANSITIVE
