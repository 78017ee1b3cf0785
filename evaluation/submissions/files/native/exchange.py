"""Samples of other harnesses become replies, which the site's parser reads; items are named as in our own files.

Repeats and epochs are seeds. Of several filters the first is read, since each gives the same samples again.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from benchmarks.definitions.release_bounds import is_storable
from evaluation.replies import REPLY, RawReply, reply_of
from evaluation.submissions.files.csv_tables import columns_in
from evaluation.submissions.files.native import harness_samples
from evaluation.submissions.files.native.base import NativeFile, ResultFile, first_line, table_in
from evaluation.submissions.files.native.harness_samples import HarnessSample
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import SEEDS_END, AnswerRow
from evaluation.submissions.files.strict_json import document_in, records_in

ANY = ""  # benchmark
LONGEST_NAME = 170
OF_KIT = {"index", "prediction"}  # columns of VLMEvalKit
Read = Callable[[dict[str, Any]], HarnessSample]
Rows = Iterator[AnswerRow | Problem]


@dataclass
class Samples:
    """Makes rows of the samples of one file, and remembers its filters and how often each item came."""

    answers: ResultFile
    filters: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)

    def rows(self, number: int, sample: HarnessSample) -> Rows:
        """The rows of one sample; its replies have consecutive seeds."""
        if sample.filter not in self.filters:
            self.filters.append(sample.filter)
        if sample.filter != self.filters[0]:
            return
        item = str(sample.item) if type(sample.item) is int else sample.item
        if not isinstance(item, str) or not 0 < len(item) <= LONGEST_NAME or not is_storable(item):
            yield Problem("value", sample.problem or "the sample does not say which item it is about", number)
            return
        first = self.answers.seed + self.seen[item] if sample.seed is None else sample.seed
        self.seen[item] += max(len(sample.replies), 1)
        if not 0 <= first < SEEDS_END:
            yield Problem("seed", "the seed or epoch must be a whole number", number, item)
        elif sample.kind != REPLY:
            yield self._row(number, item, sample.kind, sample.text, first)
        else:
            for place, reply in enumerate(sample.replies or (RawReply(None),)):
                yield self._reply(number, item, reply, first + place, sample.problem)

    def _reply(self, number: int, item: str, reply: RawReply, seed: int, problem: str) -> AnswerRow | Problem:
        if (spoken := reply_of(reply)).has_failed:
            return Problem("value", f"the sample has no reply of the model: it {spoken.why}", number, item)
        if reply.text is None or (problem and not (reply.text or reply.thoughts)):
            return Problem("value", problem or "the sample has no reply of the model", number, item)
        if not is_storable(reply.text + reply.thoughts):
            return Problem("encoding", "the reply holds a character that can't be stored", number, item)
        row = self._row(number, item, REPLY, reply.text, seed)
        return row._replace(thoughts=reply.thoughts, finish=reply.finish)

    def _row(self, number: int, item: str, kind: str, text: str, seed: int) -> AnswerRow:
        found = self.answers.known.get(item)
        return AnswerRow(number, found.item if found else item, kind, text, seed, found.name if found else "")

    def close(self) -> None:
        """Say which filter was read, if the file has several."""
        if len(self.filters) > 1:
            names = ", ".join(name[:40] or "(none)" for name in self.filters)
            self.answers.note(f"the file gives its samples by several filters ({names}); the first was read")


def line_rows(answers: ResultFile, *, read: Read) -> Rows:
    """The samples of a file with one on each line."""
    samples = Samples(answers)
    for number, record in records_in(answers.part):
        yield from _of_record(samples, number, record, read)
    samples.close()


def document_rows(answers: ResultFile, *, read: Read) -> Rows:
    """The one sample of this document, or those in its list: the document itself, or inspect's `samples`."""
    found = document_in(answers.part.text())
    if isinstance(found, dict) and "eval" in found:
        found = found.get("samples")
        if not found:
            raise Unreadable("empty", "the log holds no samples: it was written without them (log_samples)")
    samples = Samples(answers)
    if not isinstance(found, list):
        yield from _of_record(samples, 1, found, read)
        return
    for place, record in enumerate(found, start=1):
        for row in _of_record(samples, 1, record, read):
            yield replace(row, what=f"sample {place}: {row.what}") if isinstance(row, Problem) else row


def _of_record(samples: Samples, number: int, record: Any, read: Read) -> Rows:
    if isinstance(record, dict):
        yield from samples.rows(number, read(record))
    else:
        yield record if isinstance(record, Problem) else Problem("not-json", "a JSON object is needed", number)


def kit_rows(answers: ResultFile) -> Rows:
    """VLMEvalKit's predictions: a table, separated by commas or tabs or from a spreadsheet, or a list in JSON."""
    begin = answers.part.begins()
    if begin.lstrip().startswith("["):
        yield from document_rows(answers, read=harness_samples.vlm_eval_kit)
        return
    columns, table = table_in(answers.part, delimiter=_delimiter(begin))
    samples = Samples(answers)
    for row in table:
        if isinstance(row, Problem):
            yield row
        else:
            cells = dict(zip(columns, row.cells, strict=True))
            yield from samples.rows(row.line, harness_samples.vlm_eval_kit(cells))


def _delimiter(text: str) -> str:
    return "\t" if "\t" in first_line(text) else ","


def _begins(text: str, *names: str) -> bool:
    line = first_line(text)
    return line.startswith("{") and all(f'"{name}"' in line for name in names)


def _begins_log(text: str) -> bool:
    """Whether this is a sample of inspect's `.eval`, or its log as one document."""
    names = [all(f'"{name}"' in text for name in some) for some in (("id", "epoch"), ("version", "status", "eval"))]
    return text.lstrip().startswith("{") and any(names)


def _begins_results(text: str) -> bool:
    return text.lstrip().startswith("{") and text.lstrip("{ \r\n\t").startswith('"results"')


def _refused(answers: ResultFile) -> Rows:
    what = "these are a tool's results without its replies: send its samples (samples_….jsonl, by --log_samples)"
    raise Unreadable("empty", what)
    yield


def _begins_kit(text: str) -> bool:
    if text.lstrip().startswith("["):
        return '"prediction"' in text
    return set(columns_in(first_line(text), _delimiter(text))) >= OF_KIT


def _harness(title: str, name: str, begins: Callable[[str], bool], rows: Callable[[ResultFile], Rows]) -> NativeFile:
    return NativeFile(title, ANY, name, begins, lambda target: {}, rows)


EVERY_EVAL_EVER = _harness(
    "samples of Every Eval Ever",
    r"[\w.-]*\.jsonl",
    lambda text: _begins(text, "sample_id", "interaction_type"),
    partial(line_rows, read=harness_samples.every_eval_ever),
)
LM_EVAL = _harness(
    "samples of lm-eval or lmms-eval",
    r"[\w.-]*\.jsonl",
    lambda text: _begins(text, "doc_id"),
    partial(line_rows, read=harness_samples.lm_eval),
)
INSPECT = _harness(
    "a log of inspect",
    r".+_epoch_\d+\.json|\d{4}-\d\d-\d\dT.+\.json",
    _begins_log,
    partial(document_rows, read=harness_samples.inspect_log),
)
LM_EVAL_RESULTS = _harness("results of lm-eval or lmms-eval", r"results[\w.-]*\.json", _begins_results, _refused)
VLM_EVAL_KIT = _harness("predictions of VLMEvalKit", r"[\w.-]*\.(?:xlsx|tsv|csv|json)", _begins_kit, kit_rows)
