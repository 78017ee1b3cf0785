"""Reads the numbered lists ("1. …", "2. …") that Giraffe-Bench asks for; a referee scores the answers."""

import re

from evaluation.parsing.normalize import nothing_in
from measures.scores.parsed_answers import REFUSED, Parsed, ParserContext

MARK = re.compile(r"(?m)(?:^|(?<=[\s.;\]]))[*_]*(\d{1,2})\s*[.):][*_]*(?!\d)\s*")
BULLET = re.compile(r"(?m)^[^\S\n]*+[-*•]\s+")  # no \s* at the start: it backtracks over 60,000 blank lines
LONGEST = 200  # limit of a reading in characters; the reply is stored in full for the referee
EMPTY = "[]()\"' .*_"


def answers_in(raw: str) -> tuple[str, ...]:
    """The answers of the list in their order; a reply without a list is one answer."""
    marks = _in_order(raw)
    if not marks:
        parts = BULLET.split(raw)[1:] or [raw]
    else:
        ends = [match.start() for match in marks[1:]] + [len(raw)]
        parts = [raw[match.end() : end] for match, end in zip(marks, ends, strict=True)]
    return tuple(answer for part in parts if (answer := _bare(" ".join(part.split()))) and answer.strip(EMPTY))


def _bare(answer: str) -> str:
    """The answer without the square brackets that the prompts put around it."""
    framed = re.fullmatch(r"\[(.*)\]\.?", answer)
    return framed[1].strip() if framed else answer


def _in_order(raw: str) -> list[re.Match[str]]:
    """The matches of the numbers 1, 2, 3 … of one list; a number out of sequence is part of an answer."""
    marks: list[re.Match[str]] = []
    for match in MARK.finditer(raw):
        if int(match[1]) == len(marks) + 1:
            marks.append(match)
    return marks


def read_enumerated(raw: str, context: ParserContext) -> Parsed:
    """The answers joined with " | " and cut to LONGEST characters."""
    answers = answers_in(raw)
    declined = nothing_in(raw)
    if not answers or (len(answers) == 1 and declined.problem == REFUSED):
        return declined
    joined = " | ".join(answers).replace("\x00", "\ufffd")
    return Parsed(joined if len(joined) <= LONGEST else joined[: LONGEST - 1] + "…")
