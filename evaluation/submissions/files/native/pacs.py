"""The four layouts of predictions by PACS' own tools; two equal scores are no answer, as in the release."""

import json
import re
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from benchmarks.definitions.papers.pacs import OPTIONS, SPLITS, item_key, parts_of
from benchmarks.definitions.release_bounds import is_storable
from evaluation.replies import PREDICTION
from evaluation.submissions.files.csv_tables import cells_of
from evaluation.submissions.files.native.base import (
    NamedItem,
    Names,
    NativeFile,
    ResultFile,
    first_line,
    has_columns,
    table_in,
    unknown,
)
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import AnswerRow, Target
from evaluation.submissions.files.strict_json import document_in
from measures.scores.parsed_answers import UNREAD

NESTED = re.compile(r'\s*\{\s*"[^"]*_[^"]*"\s*:\s*\{')  # a pair of objects, then its questions
COUNTED = re.compile(rf"(?:{'|'.join(SPLITS)})_[0-9]+,\s*(?:True|False)\s*", re.ASCII)
MERLOT = ("id", "prediction", "prob1", "prob2")
MERLOT_WIDTHS = (4, 5)  # the release has four columns, but five cells in each row: one is the label
LARGEST = 1e9  # far above any similarity or log-probability
Rows = Callable[[ResultFile], Iterator[AnswerRow | Problem]]
CROPS, CENTRE_AGAIN = 6, 2  # CLIP: five crops, then the centre one, which counts twice more


def known(target: Target) -> Names:
    """The items by pair and question, and by UNITER's number of the datapoint in the release's file of the split."""
    rows = target.items().values_list("public_id", "key")
    names: dict[Hashable, NamedItem] = {parts_of(key): NamedItem(public_id, key) for public_id, key in rows}
    for split in SPLITS:
        keys = target.pack.items.in_split(split).filter(kind__in=target.strategy.kinds).order_by("pk")
        for number, key in enumerate(keys.values_list("key", flat=True), start=1):
            if found := names.get(parts_of(key)):
                names[f"{split}_{number}"] = found
    return names


# --- AudioCLIP and CLIP: {pair: {question: [object 1, object 2]}} ---


def scored_rows(answers: ResultFile) -> Iterator[AnswerRow | Problem]:
    """Yield the object with the higher similarity for each datapoint."""
    text = answers.part.text()
    at = 0
    for pair, questions in document_in(text).items():
        at = _place(text, pair, at)
        if not isinstance(questions, dict):
            yield Problem(
                "value", "a pair holds its questions: {question: [object 1, object 2]}", _line(text, at), pair
            )
            continue
        for question, scores in questions.items():
            at = _place(text, question, at)
            yield _scored(answers, text, at, item_key(pair, question), scores)


def _scored(answers: ResultFile, text: str, at: int, name: str, scores: Any) -> AnswerRow | Problem:
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
    """One similarity: CLIP's own tool adds its six crops, and the centre twice more."""
    if isinstance(score, list) and len(score) == CROPS and all(map(_is_number, score)):
        return sum(score) + CENTRE_AGAIN * score[-1]
    return score if _is_number(score) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -LARGEST < value < LARGEST


def _higher(first: float, second: float) -> str:
    return UNREAD if first == second else OPTIONS[second > first]


def _place(text: str, name: str, at: int) -> int:
    """The position of this name in the text from `at` on; raises Unreadable if a database can't store the name."""
    if not is_storable(name):
        raise Unreadable("encoding", "a name holds a character that can't be stored", line=_line(text, at))
    return max(at, text.find(json.dumps(name), at))


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


# --- UNITER: test_17,True ---


def counted_rows(answers: ResultFile) -> Iterator[AnswerRow | Problem]:
    """Yield object 2 for True and object 1 for False."""
    for row in cells_of(answers.part.lines(), widths={2}):
        yield row if isinstance(row, Problem) else _counted(answers, row.line, *map(str.strip, row.cells))


def _counted(answers: ResultFile, line: int, name: str, answer: str) -> AnswerRow | Problem:
    found = answers.known.get(name)
    if found is None:
        return unknown(line, name[:80])
    if answer not in ("True", "False"):
        return Problem("value", f"{answer[:20]!r} is neither True (object 2) nor False (object 1)", line, name)
    return _row(answers, line, found, OPTIONS[answer == "True"])


# --- Merlot Reserve: object0118__object0119__question0301,1,… ---


def merlot_rows(answers: ResultFile) -> Iterator[AnswerRow | Problem]:
    """Yield the object in the column `prediction`: 0 is object 1, 1 is object 2."""
    _, table = table_in(answers.part, widths=MERLOT_WIDTHS)
    for row in table:
        yield row if isinstance(row, Problem) else _merlot(answers, row.line, row.cells)


def _merlot(answers: ResultFile, line: int, cells: list[str]) -> AnswerRow | Problem:
    name, answer = cells[0].strip(), cells[1].strip()
    first, _, rest = name.partition("__")
    second, _, question = rest.partition("__")
    found = answers.known.get((f"{first}_{second}", question))
    if found is None:
        return unknown(line, name[:80])
    if answer not in ("0", "1"):
        return Problem("value", f"`prediction` is {answer[:20]!r}: 0 is object 1, 1 is object 2", line, name)
    return _row(answers, line, found, OPTIONS[int(answer)])


def _row(answers: ResultFile, line: int, found: NamedItem, answer: str) -> AnswerRow:
    return AnswerRow(line, found.item, PREDICTION, answer, answers.seed, found.name)


def _pacs(title: str, name: str, begins: Callable[[str], bool], rows: Rows) -> NativeFile:
    return NativeFile(title, "pacs", name, begins, known, rows)


NAMED = r"(?:preds|results)_[\w.-]+\.json"
SIMILARITIES = _pacs("PACS' similarities (AudioCLIP, CLIP)", NAMED, lambda text: bool(NESTED.match(text)), scored_rows)
UNITER = _pacs(
    "PACS' results.csv (UNITER)", r"results\.csv", lambda text: bool(COUNTED.fullmatch(first_line(text))), counted_rows
)
PREDICTIONS = _pacs(
    "PACS' predictions (Merlot Reserve)",
    r"[\w.-]*predictions\.csv",
    lambda text: has_columns(text, MERLOT),
    merlot_rows,
)
