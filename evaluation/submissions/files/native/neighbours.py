"""Answers to IntPhys 2, Minimal Video Pairs and CausalVQA: JSON Lines with the benchmarks' own question names."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from benchmarks.definitions.release_bounds import is_storable
from evaluation.replies import PREDICTION
from evaluation.submissions.files.native.base import NamedItem, Names, NativeFile, ResultFile, first_line, unknown
from evaluation.submissions.files.native.exchange import line_rows
from evaluation.submissions.files.native.harness_samples import OF_VIDEOS, HarnessSample, lm_eval
from evaluation.submissions.files.problems import Problem
from evaluation.submissions.files.rows import AnswerRow, Target
from evaluation.submissions.files.strict_json import records_in

MVP_FIELDS = ("data_name", "task", "row_id", "model_answer")
CANDIDATE = re.compile(r"^\(([A-Z])\) (.*)$", re.M)


def known_by_key(target: Target) -> Names:
    """The items by the official name of their video, in this split."""
    rows = target.items().values_list("public_id", "key", "text")
    return {key: NamedItem(public_id, key, text) for public_id, key, text in rows}


def rows_of(answers: ResultFile, *, read: Any) -> Iterator[AnswerRow | Problem]:
    for number, record in records_in(answers.part):
        if isinstance(record, Problem):
            yield record
        elif isinstance(record, dict):
            yield read(answers, number, record)
        else:
            yield Problem("not-json", "a JSON object is needed in each line", number)


def _intphys2(answers: ResultFile, number: int, record: dict[str, Any]) -> AnswerRow | Problem:
    """The official scripts' line (`filename`), or the leaderboard's (`row_id`, and 1 or 0 for the answer)."""
    name = next((record[field] for field in ("row_id", *OF_VIDEOS) if isinstance(record.get(field), str)), "")
    stem = name.rpartition("/")[2].removesuffix(".mp4")
    found = answers.known.get(f"{answers.target.split}/{stem}")
    if found is None:
        return unknown(number, stem[:80] if is_storable(stem) else "")
    answer = record.get("model_answer")
    if answer not in (0, 1) or isinstance(answer, float):  # True and False are 1 and 0
        return Problem("value", "`model_answer` must be true or 1 (possible), or false or 0", number, stem)
    return AnswerRow(number, found.item, PREDICTION, "yes" if answer else "no", answers.seed, stem)


def _mvp(answers: ResultFile, number: int, record: dict[str, Any]) -> AnswerRow | Problem:
    fields = {name: value for name in MVP_FIELDS if isinstance(value := record.get(name), str)}
    if missing := [name for name in MVP_FIELDS if name not in fields]:
        return Problem("value", f"`{missing[0]}` is needed, as a text", number)
    split = "mini" if fields["data_name"] == "mvp_mini" else "full"
    key = f"{split}/{fields['task']}/{fields['row_id']}"
    found = answers.known.get(key)
    if found is None:
        return unknown(number, key[:80] if is_storable(key) else "")
    by_text = {text: letter.lower() for letter, text in CANDIDATE.findall(found.expected or "")}
    if fields["model_answer"] not in by_text:
        return Problem("value", "`model_answer` is none of the two candidates", number, key)
    return AnswerRow(number, found.item, PREDICTION, by_text[fields["model_answer"]], answers.seed, key)


def _causalvqa(record: dict[str, Any]) -> HarnessSample:
    """A sample of its lmms-eval task: `id` is the question, `n` the number of the list of choices shown (of two)."""
    doc = record.get("doc")
    qid, version = (doc.get("id"), doc.get("n")) if isinstance(doc, dict) else (None, None)
    if type(version) is not int or type(qid) not in (int, str):
        return replace(lm_eval(record), item=None)
    return replace(lm_eval(record), item=f"{qid}/{version + 1}")


def _known_by_question(target: Target) -> Names:
    """The items by question and list of choices, in this split."""
    return {str(key).partition("/")[2]: found for key, found in known_by_key(target).items()}


def _begins(text: str, fields: tuple[str, ...], *, also: tuple[str, ...] = ()) -> bool:
    """Whether the first line is an object with these fields, and with at least one of the others."""
    line = first_line(text)
    return line.startswith("{") and all(f'"{name}"' in line for name in fields) and any(f'"{n}"' in line for n in also)


INTPHYS2 = NativeFile(
    "IntPhys 2's submission",
    "intphys2",
    r"[\w.-]*\.jsonl",
    partial(_begins, fields=("model_answer",), also=(*OF_VIDEOS, "intphys2")),
    known_by_key,
    partial(rows_of, read=_intphys2),
)
OF_MVP = partial(_begins, fields=MVP_FIELDS, also=("row_id",))
MVP = NativeFile("MVP's submission", "mvp", r"mvp[\w.-]*\.jsonl", OF_MVP, known_by_key, partial(rows_of, read=_mvp))
CAUSALVQA = NativeFile(
    "samples of CausalVQA's lmms-eval task",
    "causalvqa",
    r"[\w.-]*\.jsonl",
    partial(_begins, fields=("doc_id", "doc", "choices"), also=("strata", "subset")),
    _known_by_question,
    partial(line_rows, read=_causalvqa),
)
