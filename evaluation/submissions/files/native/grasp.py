"""GRASP's results.csv: each row names its question by clip and last prompt; the last reply counts."""

import re
from collections.abc import Iterator
from functools import partial

from benchmarks.disclosure import PUBLIC, Fact, open_to, with_expected
from evaluation.replies import REPLY
from evaluation.runs.official import CONFIG, FILE, GRASP_COLUMNS, SEPARATOR, config_of, last_reply
from evaluation.submissions.files.native.base import (
    NamedItem,
    Names,
    NativeFile,
    ResultFile,
    has_columns,
    table_in,
    unknown,
)
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import AnswerRow, Target

CLIP = re.compile(r"(level[12]/[^/,]+/[^/,]+)\.mp4$")
SETTING = re.compile(r"^(test_name|mode):\s*[\"']?([\w-]+)", re.MULTILINE)
NAMED = 120  # characters of a name in a problem


def known(target: Target) -> Names:
    """The items by clip (or scene, without a clip) and prompt.

    Raises Unreadable if answers are hidden, since the official name of a clip reveals its answer.
    """
    if target.all_items().exclude(open_to(PUBLIC, Fact.ANSWER)).exists():
        raise Unreadable(
            "header",
            "some answers of this pack are hidden now, and the official names of its clips would tell them:"
            " upload answers by item id instead",
        )
    known = with_expected(target.items(), to=PUBLIC)
    rows = known.values_list("public_id", "key", "variant", "text", "expected")
    return {
        (key, text): NamedItem(public_id, f"{key} ({variant})" if variant else key, expected)
        for public_id, key, variant, text, expected in rows
    }


def rows(answers: ResultFile) -> Iterator[AnswerRow | Problem]:
    """Yield the raw reply of each row; an unknown question or a wrong `gt` is a problem."""
    if config := answers.beside.get(CONFIG):
        check_config(config.text(), answers.target)
    columns, table = table_in(answers.part)
    for row in table:
        yield row if isinstance(row, Problem) else _row(answers, row.line, dict(zip(columns, row.cells, strict=True)))


def check_config(text: str, target: Target) -> None:
    """Raise Unreadable if the configuration names another test than the header: all its items would be unknown."""
    wanted = config_of(target.strategy.name)
    for name, value in SETTING.findall(text):
        if value != wanted.get(name, value):
            raise Unreadable(
                "header",
                f"{CONFIG} beside the results says {name} {value}; the header's strategy {target.strategy.name} is"
                f" {name} {wanted[name]}",
            )


def _row(answers: ResultFile, line: int, fields: dict[str, str]) -> AnswerRow | Problem:
    prompt = fields["prompt"].rpartition(SEPARATOR)[2]
    videos = [video for video in fields["video_file"].split(",") if video.strip()]
    clip = CLIP.search(videos[-1].strip()) if videos else None
    place = clip[1] if clip else (videos[-1] if videos else fields["scene"]).strip()
    found = answers.known.get((place, prompt))
    if found is None:
        what = f"this pack, split and strategy ask no such question about it: {prompt[:80]!r}"
        return unknown(line, place[:NAMED], what)
    if found.expected is not None and fields["gt"].strip().casefold() != found.expected.casefold():
        what = f"`gt` is {fields['gt'][:40]!r}, which is not the answer to this question: the file is of other content"
        return Problem("value", what, line, found.name)
    return AnswerRow(line, found.item, REPLY, last_reply(fields["response"]), answers.seed, found.name)


BEGINS = partial(has_columns, columns=GRASP_COLUMNS)
RESULTS = NativeFile("GRASP's results.csv", "grasp", re.escape(FILE), BEGINS, known, rows)
