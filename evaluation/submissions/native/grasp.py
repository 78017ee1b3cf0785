"""GRASP's results.csv: the clip and the last prompt say which question it is, the last reply counts."""

import re
from collections.abc import Iterator

from evaluation.official.grasp import COLUMNS, CONFIG, FILE, SEPARATOR, config_of, last_said
from evaluation.submissions.headers import Target
from evaluation.submissions.native.base import Answers, Known, Names, NativeFile, has_columns, table_in, unknown
from evaluation.submissions.problems import Problem, Unreadable
from evaluation.submissions.rows import REPLY, Row

CLIP = re.compile(r"(level[12]/[^/,]+/[^/,]+)\.mp4$")
SETTING = re.compile(r"^(test_name|mode):\s*[\"']?([\w-]+)", re.MULTILINE)
NAMED = 120  # characters of a name in a complaint


def known(target: Target) -> Names:
    """By clip (or scene, where there is none) and prompt. The official name of a clip tells its answer."""
    items = target.items()
    if items.filter(seals__isnull=False).exists():
        raise Unreadable(
            "header",
            "an open study asks questions of this pack, and the official names of its clips would tell their answers:"
            " upload answers by item id instead",
        )
    rows = items.values_list("public_id", "key", "variant", "text", "expected")
    return {
        (key, text): Known(public_id, f"{key} ({variant})" if variant else key, expected)
        for public_id, key, variant, text, expected in rows
    }


def rows(answers: Answers) -> Iterator[Row | Problem]:
    """Yield a raw reply for each row; a question that the pack does not ask is a problem, and so is a wrong `gt`."""
    if config := answers.beside.get(CONFIG):
        check_config(config.text(), answers.target)
    columns, table = table_in(answers.part)
    for row in table:
        yield row if isinstance(row, Problem) else _row(answers, row.line, dict(zip(columns, row.cells, strict=True)))


def check_config(text: str, target: Target) -> None:
    """The test's configuration names the same test as the header; a folder of another test would be read as unknown."""
    wanted = config_of(target.strategy.name)
    for name, value in SETTING.findall(text):
        if value != wanted.get(name, value):
            raise Unreadable(
                "header",
                f"{CONFIG} beside the results says {name} {value}; the header's strategy {target.strategy.name} is"
                f" {name} {wanted[name]}",
            )


def _row(answers: Answers, line: int, fields: dict[str, str]) -> Row | Problem:
    prompt = fields["prompt"].rpartition(SEPARATOR)[2]
    shown = [video for video in fields["video_file"].split(",") if video.strip()]
    clip = CLIP.search(shown[-1].strip()) if shown else None
    place = clip[1] if clip else (shown[-1] if shown else fields["scene"]).strip()
    found = answers.known.get((place, prompt))
    if found is None:
        what = f"this pack, split and strategy ask no such question about it: {prompt[:80]!r}"
        return unknown(line, place[:NAMED], what)
    if found.expected is not None and fields["gt"].strip().casefold() != found.expected.casefold():
        what = f"`gt` is {fields['gt'][:40]!r}, which is not the answer to this question: the file is of other content"
        return Problem("value", what, line, found.name)
    return Row(line, found.item, REPLY, last_said(fields["response"]), answers.seed, found.name)


RESULTS = NativeFile(
    title="GRASP's results.csv",
    benchmark="grasp",
    name=re.compile(re.escape(FILE)),
    begins=lambda text: has_columns(text, COLUMNS),
    known=known,
    rows=rows,
)
