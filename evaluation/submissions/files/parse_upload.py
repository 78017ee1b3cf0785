"""Reads header and rows of an upload: JSON Lines, a CSV table, or a result file of a benchmark's own tools.

Every unreadable row is a problem; none is skipped.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.definitions.release_bounds import is_storable
from benchmarks.models import Pack
from benchmarks.policy import LIMITS
from evaluation.replies import (
    ANSWER,
    ENDED,
    FINDINGS,
    MARGIN,
    NUMBERS,
    OWN,
    PREDICTION,
    REPLY,
    SURPRISE,
    THOUGHTS,
    TIMES,
)
from evaluation.submissions.files.archives import NumberedLine, only, parts_of
from evaluation.submissions.files.csv_tables import WINDOWS, as_table, cells_of, columns_in, number_in, window_rows
from evaluation.submissions.files.native.registry import NativeUpload, native_in
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import (
    FIELDS,
    MODEL_CHARACTERS,
    OPTIONAL,
    REVISION_CHARACTERS,
    SEEDS_END,
    AnswerRow,
    Target,
)
from evaluation.submissions.files.strict_json import on_line

ROWS = LIMITS["upload rows"].most
SEED = re.compile(r"[0-9]{1,10}", re.ASCII)
ITEM_CHARACTERS = 170  # the longest name is an official key with kind and variant
ANSWER_FIELDS = (ANSWER, REPLY, PREDICTION, *NUMBERS, SURPRISE)  # each row has one of them
COLUMNS = ("item", ANSWER, REPLY, "seed", THOUGHTS, MARGIN)
KNOWN = frozenset((*COLUMNS, *ANSWER_FIELDS, TIMES, ENDED, *FINDINGS))


@dataclass(frozen=True)
class ParsedUpload:
    """An upload's header, if it has one, and its rows, which are read lazily.

    A result file of a benchmark's own tools has neither; `answers_in` reads its rows for a target.
    """

    header: Mapping[str, Any] | None
    rows: Iterator[AnswerRow | Problem]
    native: NativeUpload | None = None


def read_upload(file: IO[bytes]) -> ParsedUpload:
    """Recognise the file's format by its first characters, and read its header and rows."""
    parts = as_table(parts_of(file), file)
    if native := native_in(parts):
        return ParsedUpload(None, iter(()), native)
    lines = only(parts).lines()
    first = next(_without_blank(lines), None)
    if first is None:
        raise Unreadable("empty", "the file holds no line of text")
    if isinstance(first, Problem):
        raise Unreadable(first.code, first.what, line=first.line)
    if not first.text.lstrip().startswith("{"):
        return ParsedUpload(None, _at_most_rows(_table_rows(first, lines)))
    record = _object(first)
    if isinstance(record, Problem):
        raise Unreadable(record.code, record.what, line=record.line)
    if "item" in record:
        return ParsedUpload(None, _at_most_rows(_json_rows(chain([first], lines))))
    return ParsedUpload(record, _at_most_rows(_json_rows(lines)))


def answers_in(upload: ParsedUpload, target: Target) -> Iterator[AnswerRow | Problem]:
    """Yield the rows of the file as answers to the items of this target."""
    return _at_most_rows(upload.native.rows(target)) if upload.native else upload.rows


def _without_blank(lines: Iterator[NumberedLine | Problem]) -> Iterator[NumberedLine | Problem]:
    return (line for line in lines if isinstance(line, Problem) or line.text.strip())


def _at_most_rows(rows: Iterator[AnswerRow | Problem]) -> Iterator[AnswerRow | Problem]:
    for number, row in enumerate(rows):
        if number == ROWS:
            raise Unreadable("too-many", f"the file has more than {ROWS:,} rows", line=row.line)
        yield row


def _row(line: int, fields: Mapping[str, Any]) -> AnswerRow | Problem:
    """The row made of these fields, or their first problem."""
    return _plain_row(line, fields) or _odd_row(line, fields)


def _plain_row(line: int, fields: Mapping[str, Any]) -> AnswerRow | None:
    """The row if it is valid, else None; few checks, since a file may have a million rows."""
    kind = REPLY if REPLY in fields else ANSWER
    item, text, seed = fields.get("item"), fields.get(kind), fields.get("seed", 0)
    if not isinstance(item, str) or not isinstance(text, str) or type(seed) is not int:  # True is an int, too
        return None
    is_plain = 0 < len(item) <= ITEM_CHARACTERS and 0 <= seed < SEEDS_END and len(fields) == 2 + ("seed" in fields)
    return AnswerRow(line, item, kind, text, seed) if is_plain else None


def _odd_row(line: int, fields: Mapping[str, Any]) -> AnswerRow | Problem:
    item, seed = fields.get("item"), fields.get("seed", 0)
    kinds = [kind for kind in ANSWER_FIELDS if kind in fields]
    if not isinstance(item, str) or not 0 < len(item) <= ITEM_CHARACTERS:
        return Problem("value", "`item` must be the id of an item, as text", line)
    if not fields.keys() <= KNOWN:
        unknown = min(set(fields) - KNOWN)[:40]
        return Problem("fields", f"unknown field {unknown!r}: a row has item, answer or reply, seed", line, item)
    if THOUGHTS in fields and (REPLY not in fields or not isinstance(fields[THOUGHTS], str)):
        return Problem("fields", "`thoughts` are text beside a `reply`", line, item)
    if ENDED in fields and (REPLY not in fields or fields[ENDED] not in OWN):
        return Problem("fields", f"`ended` beside a `reply` is one of: {', '.join(OWN)}", line, item)
    if len(kinds) != 1:
        return Problem("fields", "a row has either `answer` or `reply`, or one of `log_probs` and `margin`", line, item)
    if TIMES in fields and kinds[0] != SURPRISE:
        return Problem("fields", "`times` need `surprise` beside them", line, item)
    if kinds[0] in (ANSWER, REPLY, PREDICTION) and not isinstance(fields[kinds[0]], str):
        return Problem("value", f"`{kinds[0]}` must be text, in quotes", line, item)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < SEEDS_END:
        return Problem("seed", "`seed` must be a whole number from 0 on", line, item)
    row = AnswerRow(line, item, kinds[0], _as_json(kinds[0], fields), seed)
    return row._replace(thoughts=fields.get(THOUGHTS, ""), finish=fields.get(ENDED))


def _as_json(kind: str, fields: Mapping[str, Any]) -> str:
    """The text of an answer or reply, or numbers as JSON."""
    if kind == SURPRISE:
        return json.dumps({SURPRISE: fields[SURPRISE], TIMES: fields.get(TIMES)})
    return json.dumps(fields[kind]) if kind in NUMBERS else str(fields[kind])


# --- Header ---


def merged(in_file: Mapping[str, Any] | None, typed: Mapping[str, str] | None) -> Mapping[str, Any]:
    """Merge the file's header with the given fields; a field in both must have one value."""
    if not in_file and not typed:
        where = "in the first line or, for a table (CSV), in the fields beside the file"
        raise Unreadable("header", f"there is no header: name {', '.join(FIELDS)} {where}", line=1)
    for name in typed or {}:
        if in_file and name in in_file and in_file[name] != (typed or {})[name]:
            raise Unreadable("header", f"the file's header and the fields beside it name different `{name}`", line=1)
    return {**(typed or {}), **(in_file or {})}


def target_of(header: Mapping[str, Any], *, line: int | None = None) -> Target:
    """The target named by this header; Unreadable gives the first unknown value and lists the existing ones."""
    _check_fields(header, line)
    benchmark = BENCHMARKS[_one_of("benchmark", header["benchmark"], BENCHMARKS, line)]
    packs = {pack.name: pack for pack in Pack.objects.filter(benchmark=benchmark.slug).on_boards()}
    strategies = {strategy.name: strategy for strategy in benchmark.strategies}
    strategy = strategies[_one_of("strategy", header["strategy"], strategies, line)]
    target = Target(
        benchmark=benchmark,
        pack=packs[_one_of("pack", header["pack"], packs, line)],
        model=" ".join(header["model"].split()),
        strategy=strategy,
        condition=_one_of("condition", header["condition"], benchmark.conditions_of(strategy.name), line),
        split=_one_of("split", header["split"], strategy.splits, line),
        revision=header.get("revision", "").strip(),
        parser=_one_of("parser", header["parser"], benchmark.parsers_for(strategy.name), line)
        if header.get("parser")
        else "",
    )
    if not target.items().exists():
        raise Unreadable("header", "this pack has no items of this strategy in this split", line=line)
    return target


def _check_fields(header: Mapping[str, Any], line: int | None) -> None:
    if lacking := [name for name in FIELDS if not header.get(name)]:
        raise Unreadable("header", f"the header lacks {', '.join(lacking)}", line=line)
    if unknown := sorted(set(header) - {*FIELDS, *OPTIONAL}):
        raise Unreadable("header", f"the header has an unknown field {unknown[0][:40]!r}", line=line)
    for name, value in header.items():
        if not isinstance(value, str):
            raise Unreadable("header", f"the header's `{name}` must be text", line=line)
    if not header["model"].isprintable() or not header["model"].strip() or len(header["model"]) > MODEL_CHARACTERS:
        raise Unreadable("header", f"the header's `model` must be a name of 1 to {MODEL_CHARACTERS} letters", line=line)
    if not header.get("revision", "").isprintable() or len(header.get("revision", "")) > REVISION_CHARACTERS:
        raise Unreadable("header", f"the header's `revision` has at most {REVISION_CHARACTERS} letters", line=line)


def _one_of(name: str, value: str, choices: Iterable[str], line: int | None) -> str:
    if value in choices:
        return value
    there_are = ", ".join(choices) or "none yet"
    raise Unreadable("header", f"the header's `{name}` is {value[:60]!r}; there are: {there_are}", line=line)


# --- JSON Lines ---


def _json_rows(lines: Iterator[NumberedLine | Problem]) -> Iterator[AnswerRow | Problem]:
    for line in lines:
        if isinstance(line, Problem):
            yield line
        elif line.text and not line.text.isspace():
            record = _object(line)
            yield record if isinstance(record, Problem) else _row(line.number, record)


def _object(line: NumberedLine) -> dict[str, Any] | Problem:
    """The JSON object on this line; a lone surrogate or NUL in a text is a problem, because it can't be stored."""
    record = on_line(line)
    if isinstance(record, Problem):
        return record
    if not isinstance(record, dict):
        return Problem("not-json", 'not a JSON object: write {"item": …, "answer": …}', line.number)
    if "\\u" in line.text and not _storable(record):
        return Problem("encoding", "a text holds a character that can't be stored", line.number)
    return record


def _storable(record: dict[str, Any]) -> bool:
    texts = [*record, *(value for value in record.values() if isinstance(value, str))]
    return all(map(is_storable, texts))


# --- CSV ---


def _table_rows(first: NumberedLine, rest: Iterator[NumberedLine | Problem]) -> Iterator[AnswerRow | Problem]:
    if set(columns_in(first.text, ";")) >= set(WINDOWS):
        yield from window_rows(first, rest)
        return
    delimiter = ";" if "item" in columns_in(first.text, ";") else ","  # Excel's, where the decimal sign is a comma
    columns = _columns(first, delimiter)
    for row in cells_of(rest, widths={len(columns)}, delimiter=delimiter):
        yield row if isinstance(row, Problem) else _cells_row(row.line, columns, row.cells)


def _columns(first: NumberedLine, delimiter: str) -> list[str]:
    columns = columns_in(first.text, delimiter)
    kinds = set(ANSWER_FIELDS) & set(columns)
    if "item" not in columns or len(kinds) != 1 or len(set(columns)) != len(columns) or set(columns) - set(COLUMNS):
        what = "the first line must be a header in JSON, or name the columns: item, then answer or reply, then seed"
        raise Unreadable("columns", f"{what} (separated by commas)", line=first.number)
    return columns


def _cells_row(line: int, columns: list[str], cells: list[str]) -> AnswerRow | Problem:
    fields: dict[str, Any] = dict(zip(columns, cells, strict=True))
    fields["item"] = fields["item"].strip()
    seed = fields.get("seed", "0").strip()
    if MARGIN in fields:
        fields[MARGIN] = number_in(fields[MARGIN])
    return _row(line, fields | {"seed": int(seed) if SEED.fullmatch(seed) else None})
