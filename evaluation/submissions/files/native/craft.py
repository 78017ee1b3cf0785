"""CRAFT's table of predictions: each row names its question by video and question index; case is ignored."""

import re
from collections.abc import Iterator

from benchmarks.definitions.papers.craft import OFFICIAL_SPLITS, OPTIONS, indices_of, item_key
from evaluation.replies import PREDICTION
from evaluation.runs.official import CRAFT_COLUMNS
from evaluation.submissions.files.native.base import (
    NamedItem,
    Names,
    NativeFile,
    ResultFile,
    has_columns,
    table_in,
    unknown,
)
from evaluation.submissions.files.problems import Problem
from evaluation.submissions.files.rows import AnswerRow, Target
from measures.scores.parsed_answers import PROBLEMS

VOCABULARY = frozenset(option for options in OPTIONS.values() for option in options)
INDEX = re.compile(r"[0-9]{1,6}", re.ASCII)


def known(target: Target) -> Names:
    """The items by video and question index."""
    return {
        indices_of(key): NamedItem(public_id, key) for public_id, key in target.items().values_list("public_id", "key")
    }


def rows(answers: ResultFile) -> Iterator[AnswerRow | Problem]:
    columns, table = table_in(answers.part, delimiter="\t")
    for row in table:
        yield row if isinstance(row, Problem) else _row(answers, row.line, dict(zip(columns, row.cells, strict=True)))


def _row(answers: ResultFile, line: int, fields: dict[str, str]) -> AnswerRow | Problem:
    video, question = fields["video_index"].strip(), fields["question_index"].strip()
    if not INDEX.fullmatch(video) or not INDEX.fullmatch(question):
        return Problem("value", f"the indices {video[:20]!r} and {question[:20]!r} must be whole numbers", line)
    found = answers.known.get((int(video), int(question)))
    if found is None:
        return unknown(line, item_key(int(video), int(question)))
    _, wanted = OFFICIAL_SPLITS.get(answers.target.split, ("", ""))
    if wanted and (split := fields["split"].strip().casefold()) != wanted:
        what = f"`split` is {split[:20]!r}; the header's {answers.target.split} is {wanted!r}"
        return Problem("value", what, line, found.name)
    # The official scorer accepts any word, also an answer to another kind of question, and counts it as wrong.
    prediction = fields["prediction"].strip().casefold()
    if prediction not in VOCABULARY and prediction not in PROBLEMS:
        what = f"{prediction[:40]!r} answers no question of CRAFT; write {PROBLEMS[0]} where there is no answer"
        return Problem("not-an-option", what, line, found.name)
    return AnswerRow(line, found.item, PREDICTION, prediction, answers.seed, found.name)


TITLE = "CRAFT's table of predictions"
PREDICTIONS = NativeFile(
    TITLE, "craft", r"[\w.-]*\.tsv", lambda text: has_columns(text, CRAFT_COLUMNS, "\t"), known, rows
)
