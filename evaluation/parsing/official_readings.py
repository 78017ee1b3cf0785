"""The reading rules of neighbouring benchmarks' scorers, faults included: for comparison, never the default."""

import re

from measures.scores.parsed_answers import UNREAD, Parsed, ParserContext

# `(answer|assistant)?:?\s*([ab])\b`, rewritten so that blanks are read once and not again from each of them
PAIR_OPTION = re.compile(r"(?:(answer|assistant):?\s*|:\s*|(?<!\s)\s*)([ab])\b", re.IGNORECASE)
LONE_LETTER = re.compile(r"\b([A-E])\b", re.IGNORECASE)
MARKS = ';/[]"{}()=+\\_-><@`,?!'
NUMBER = re.compile(r"\d,\d")


def read_intphys2(raw: str, context: ParserContext) -> Parsed:
    """IntPhys 2: "yes" anywhere, else "no" anywhere, also within "know"; only the first letter may be a capital."""
    for answer, forms in (("yes", ("Yes", "yes")), ("no", ("no", "No"))):
        if any(form in raw for form in forms):
            return Parsed(answer)
    return Parsed(None, UNREAD)


def read_intphys2_digits(raw: str, context: ParserContext) -> Parsed:
    """IntPhys 2, of its second prompt: a 1 anywhere, else a 0 anywhere."""
    return Parsed("yes") if "1" in raw else Parsed("no") if "0" in raw else Parsed(None, UNREAD)


def read_mvp(raw: str, context: ParserContext) -> Parsed:
    """MVP: the first "a" or "b" that ends a word, or the second if there are several; the article counts as A."""
    found = [match[2].lower() for match in PAIR_OPTION.finditer(raw)]
    if not found:
        return Parsed(None, UNREAD)
    return Parsed(found[1] if len(found) > 1 else found[0])


def read_causalvqa(raw: str, context: ParserContext) -> Parsed:
    """CausalVQA: the last single letter a to e once marks are removed; the article "a" counts."""
    text = raw.replace("\n", " ").replace("\t", " ").strip()
    text_read = text
    for mark in MARKS:
        vanishes = f"{mark} " in text or f" {mark}" in text or NUMBER.search(text)
        text_read = text_read.replace(mark, "" if vanishes else " ")
    found = LONE_LETTER.findall(text_read)
    return Parsed(found[-1].lower()) if found else Parsed(None, UNREAD)
