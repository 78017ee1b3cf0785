"""Giraffe-Bench asks for several answers as "1. …", "2. …"; what they are worth is the referee's to say."""

import re

from evaluation.parsing.wording import nothing_in
from measures.answers import REFUSED, Asked, Parsed

MARK = re.compile(r"(?m)(?:^|(?<=[\s.;\]]))[*_]*(\d{1,2})\s*[.):][*_]*(?!\d)\s*")
BULLET = re.compile(r"(?m)^[^\S\n]*+[-*•]\s+")  # within its line: 60,000 blank ones would be tried from each
LONGEST = 200  # what a reading holds; the reply itself is kept whole, and the referee reads that
EMPTY = "[]()\"' .*_"


def answers_in(raw: str) -> tuple[str, ...]:
    """Every answer of the list in its order; the whole reply as one where it is no list."""
    marks = _in_order(raw)
    if not marks:
        parts = BULLET.split(raw)[1:] or [raw]
    else:
        ends = [match.start() for match in marks[1:]] + [len(raw)]
        parts = [raw[match.end() : end] for match, end in zip(marks, ends, strict=True)]
    return tuple(answer for part in parts if (answer := _bare(" ".join(part.split()))) and answer.strip(EMPTY))


def _bare(answer: str) -> str:
    """Without the brackets that the queries show around an answer."""
    framed = re.fullmatch(r"\[(.*)\]\.?", answer)
    return framed[1].strip() if framed else answer


def _in_order(raw: str) -> list[re.Match[str]]:
    """The marks 1, 2, 3 … of one list; a number that is out of turn is part of an answer."""
    marks: list[re.Match[str]] = []
    for match in MARK.finditer(raw):
        if int(match[1]) == len(marks) + 1:
            marks.append(match)
    return marks


def read_enumerated(raw: str, asked: Asked) -> Parsed:
    """The answers, one after another with " | " between them, cut to what a reading holds."""
    answers = answers_in(raw)
    declined = nothing_in(raw)
    if not answers or (len(answers) == 1 and declined.problem == REFUSED):
        return declined
    told = " | ".join(answers).replace("\x00", "\ufffd")
    return Parsed(told if len(told) <= LONGEST else told[: LONGEST - 1] + "…")
