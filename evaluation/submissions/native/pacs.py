"""The four layouts in which PACS' own tools write predictions. Two equal scores are no answer, as in the release."""

import json
import re
from collections.abc import Hashable, Iterator
from typing import Any

from benchmarks.definitions.pacs_keys import SPLITS, item_key, parts_of
from benchmarks.definitions.pacs_prompts import OPTIONS
from evaluation.submissions.headers import Target
from evaluation.submissions.json_text import is_storable, parsed
from evaluation.submissions.native.base import (
    Answers,
    Known,
    Names,
    NativeFile,
    first_line,
    has_columns,
    plain_rows,
    table_in,
    unknown,
)
from evaluation.submissions.problems import Problem, Unreadable
from evaluation.submissions.rows import PREDICTION, Row
from measures.answers import UNREAD

NESTED = re.compile(r'\s*\{\s*"[^"]*_[^"]*"\s*:\s*\{')  # a pair of objects and its questions
COUNTED = re.compile(rf"(?:{'|'.join(SPLITS)})_[0-9]+,\s*(?:True|False)\s*", re.ASCII)
MERLOT = ("id", "prediction", "prob1", "prob2")
MERLOT_WIDTHS = (4, 5)  # below its four columns the release's rows have five cells, the label among them
LARGEST = 1e9  # of a similarity or a log-probability, by far
CROPS, CENTRE_AGAIN = 6, 2  # CLIP: five crops and the centre one last, which counts twice more


def known(target: Target) -> Names:
    """By pair and question, and by UNITER's count of the split's datapoints in the order of the release's file."""
    rows = target.items().values_list("public_id", "key")
    names: dict[Hashable, Known] = {parts_of(key): Known(public_id, key) for public_id, key in rows}
    for split in SPLITS:
        keys = target.pack.items.in_split(split).filter(kind__in=target.strategy.kinds).order_by("pk")
        for number, key in enumerate(keys.values_list("key", flat=True), start=1):
            if found := names.get(parts_of(key)):
                names[f"{split}_{number}"] = found
    return names


# --- AudioCLIP and CLIP: {pair: {question: [object 1, object 2]}} ---


def scored_rows(answers: Answers) -> Iterator[Row | Problem]:
    """Yield the object of the higher similarity for each datapoint."""
    text = answers.part.text()
    try:
        pairs = parsed(text)
    except ValueError as error:
        raise Unreadable("not-json", f"not a JSON document: {error}") from error
    at = 0
    for pair, questions in pairs.items():
        at = _place(text, pair, at)
        if not isinstance(questions, dict):
            yield Problem(
                "value", "a pair holds its questions: {question: [object 1, object 2]}", _line(text, at), pair
            )
            continue
        for question, scores in questions.items():
            at = _place(text, question, at)
            yield _scored(answers, text, at, item_key(pair, question), scores)


def _scored(answers: Answers, text: str, at: int, name: str, scores: Any) -> Row | Problem:
    found = answers.known.get(parts_of(name))
    if found is None:
        return unknown(_line(text, at), name[:80])
    values = [_similarity(score) for score in scores] if isinstance(scores, list) and len(scores) == 2 else []
    first, second = values or (None, None)
    if first is None or second is None:
        what = f"a datapoint has two numbers, one for each object, or two lists of {CROPS} (CLIP's crops)"
        return Problem("value", what, _line(text, at), name)
    return _row(answers, _line(text, at), found, _higher(first, second))


def _similarity(score: Any) -> float | None:
    """One similarity; CLIP's own tool adds up six crops and the centre twice more."""
    if isinstance(score, list) and len(score) == CROPS and all(map(_is_number, score)):
        return sum(score) + CENTRE_AGAIN * score[-1]
    return score if _is_number(score) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -LARGEST < value < LARGEST


def _higher(first: float, second: float) -> str:
    return UNREAD if first == second else OPTIONS[second > first]


def _place(text: str, name: str, at: int) -> int:
    """Where this name stands, from here on; a complaint about it could not be shown where it holds half a character."""
    if not is_storable(name):
        raise Unreadable("encoding", "a name holds a character that can't be stored", line=_line(text, at))
    return max(at, text.find(json.dumps(name), at))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


# --- UNITER: test_17,True ---


def counted_rows(answers: Answers) -> Iterator[Row | Problem]:
    """Yield object 2 for True, object 1 for False."""
    for row in plain_rows(answers.part, width=2):
        yield row if isinstance(row, Problem) else _counted(answers, row.line, *map(str.strip, row.cells))


def _counted(answers: Answers, line: int, name: str, said: str) -> Row | Problem:
    found = answers.known.get(name)
    if found is None:
        return unknown(line, name[:80])
    if said not in ("True", "False"):
        return Problem("value", f"{said[:20]!r} is neither True (object 2) nor False (object 1)", line, name)
    return _row(answers, line, found, OPTIONS[said == "True"])


# --- Merlot Reserve: object0118__object0119__question0301,1,… ---


def merlot_rows(answers: Answers) -> Iterator[Row | Problem]:
    """Yield the object that the column `prediction` says, 0 or 1."""
    _, table = table_in(answers.part, widths=MERLOT_WIDTHS)
    for row in table:
        yield row if isinstance(row, Problem) else _merlot(answers, row.line, row.cells)


def _merlot(answers: Answers, line: int, cells: list[str]) -> Row | Problem:
    name, said = cells[0].strip(), cells[1].strip()
    first, _, rest = name.partition("__")
    second, _, question = rest.partition("__")
    found = answers.known.get((f"{first}_{second}", question))
    if found is None:
        return unknown(line, name[:80])
    if said not in ("0", "1"):
        return Problem("value", f"`prediction` is {said[:20]!r}: 0 is object 1, 1 is object 2", line, name)
    return _row(answers, line, found, OPTIONS[int(said)])


def _row(answers: Answers, line: int, found: Known, answer: str) -> Row:
    return Row(line, found.item, PREDICTION, answer, answers.seed, found.name)


SIMILARITIES = NativeFile(
    title="PACS' similarities (AudioCLIP, CLIP)",
    benchmark="pacs",
    name=re.compile(r"(?:preds|results)_[\w.-]+\.json"),
    begins=lambda text: bool(NESTED.match(text)),
    known=known,
    rows=scored_rows,
)
UNITER = NativeFile(
    title="PACS' results.csv (UNITER)",
    benchmark="pacs",
    name=re.compile(r"results\.csv"),
    begins=lambda text: bool(COUNTED.fullmatch(first_line(text))),
    known=known,
    rows=counted_rows,
)
PREDICTIONS = NativeFile(
    title="PACS' predictions (Merlot Reserve)",
    benchmark="pacs",
    name=re.compile(r"[\w.-]*predictions\.csv"),
    begins=lambda text: has_columns(text, MERLOT),
    known=known,
    rows=merlot_rows,
)
