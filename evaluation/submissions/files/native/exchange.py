"""Samples of other harnesses: Every Eval Ever's and lmms-eval's JSON Lines, and the samples in inspect's logs.

They name an item by its public id or its official key, as our own files do; the site's parser reads the reply.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.definitions.release_bounds import is_storable
from evaluation.submissions.files.native.base import NativeFile, ResultFile, first_line
from evaluation.submissions.files.problems import Problem
from evaluation.submissions.files.rows import REPLY, AnswerRow
from evaluation.submissions.files.strict_json import parsed

ANY = ""  # benchmark
NAMES_OF_DOC = ("item", "public_id", "id", "key", "question_id", "qid")
LONGEST_NAME = 170
Read = Callable[[dict[str, Any]], tuple[Any, Any, Any]]  # a record's item, reply and seed


def line_rows(answers: ResultFile, *, read: Read) -> Iterator[AnswerRow | Problem]:
    """One answer per line."""
    for line in answers.part.lines():
        if isinstance(line, Problem):
            yield line
        elif line.text.strip():
            yield _row(line.number, line.text, read)


def document_row(answers: ResultFile, *, read: Read) -> Iterator[AnswerRow | Problem]:
    """The one answer of this document."""
    yield _row(1, answers.part.text(), read)


def _row(number: int, text: str, read: Read) -> AnswerRow | Problem:
    try:
        record = parsed(text)
    except ValueError as error:
        return Problem("not-json", f"not a JSON object: {error}", number)
    if not isinstance(record, dict):
        return Problem("not-json", "a JSON object is needed", number)
    item, reply, seed = read(record)
    if isinstance(item, int) and not isinstance(item, bool):
        item = str(item)
    if not isinstance(item, str) or not 0 < len(item) <= LONGEST_NAME or not is_storable(item):
        return Problem("value", "the sample does not say which item it is about", number)
    if not isinstance(reply, str) or not is_storable(reply):
        return Problem("value", "the sample has no reply of the model", number, item)
    if not isinstance(seed, int) or not 0 <= seed < 2**31:
        return Problem("seed", "the seed or epoch must be a whole number", number, item)
    return AnswerRow(number, item, REPLY, reply, seed)


def every_eval_ever(record: dict[str, Any]) -> tuple[Any, Any, Any]:
    """`sample_id`, and `output.raw` or the model's last message; the seed as in our own export, else 0."""
    output, seed = record.get("output"), _within(record, "metadata", "seed")
    if isinstance(output, dict):
        reply = _first(output.get("raw"))
    else:
        replies = [turn for turn in _as_list(record.get("messages")) if _within(turn, "role") == "assistant"]
        reply = _within(replies[-1], "content") if replies else None
    seed = seed if isinstance(seed, str) and seed.isdecimal() else "0"
    return record.get("sample_id"), reply, int(seed) if len(seed) < 11 else None


def lmms_eval(record: dict[str, Any]) -> tuple[Any, Any, Any]:
    """The id in `doc`, else `doc_id`; the first of `resps`, else of `filtered_resps`."""
    named = [_within(record, "doc", name) for name in NAMES_OF_DOC]
    item = next((name for name in named if name is not None), record.get("doc_id"))
    return item, _first(record.get("resps")) or _first(record.get("filtered_resps")), 0


def inspect_log(record: dict[str, Any]) -> tuple[Any, Any, Any]:
    """`id`, the model's first choice, and the epoch, which counts from 1."""
    content = _within(next(iter(_as_list(_within(record, "output", "choices"))), {}), "message", "content")
    if isinstance(content, list):
        texts = [_within(part, "text") for part in content if _within(part, "type") == "text"]
        replies = [text for text in texts if isinstance(text, str)]
        content = "".join(replies) if replies else None
    epoch = record.get("epoch", 1)
    return record.get("id"), content, epoch - 1 if type(epoch) is int else None


def _first(value: Any) -> Any:
    """The first text in lists of lists."""
    while isinstance(value, list):
        value = value[0] if value else None
    return value


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _within(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _begins(text: str, *names: str) -> bool:
    line = first_line(text)
    return line.startswith("{") and all(f'"{name}"' in line for name in names)


EVERY_EVAL_EVER = NativeFile(
    title="samples of Every Eval Ever",
    benchmark=ANY,
    name=re.compile(r"[\w.-]*\.jsonl"),
    begins=lambda text: _begins(text, "sample_id", "interaction_type"),
    known=lambda target: {},
    rows=partial(line_rows, read=every_eval_ever),
)
LMMS_EVAL = NativeFile(
    title="samples of lmms-eval",
    benchmark=ANY,
    name=re.compile(r"[\w.-]*\.jsonl"),
    begins=lambda text: _begins(text, "doc_id"),
    known=lambda target: {},
    rows=partial(line_rows, read=lmms_eval),
)
INSPECT = NativeFile(
    title="a log of inspect",
    benchmark=ANY,
    name=re.compile(r".+_epoch_\d+\.json"),
    begins=lambda text: text.lstrip().startswith("{") and '"id"' in text and '"epoch"' in text,
    known=lambda target: {},
    rows=partial(document_row, read=inspect_log),
)
