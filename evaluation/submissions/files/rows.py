"""The answers of an uploaded file: the items that they answer, its rows, and checked ones that wait to be stored."""

import json
import marshal
import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import ItemQuerySet, Pack
from evaluation.parsing.numeric_replies import log_probs_in, log_probs_written, surprises_in, surprises_written
from evaluation.replies import MARGIN, SURPRISE, RawReply, SpokenReply, reply_of
from measures.scores.clip_surprise import NotSurprises
from measures.scores.log_probabilities import NotLogProbabilities

FIELDS = ("benchmark", "pack", "model", "strategy", "condition", "split")
OPTIONAL = ("revision", "parser")
MODEL_CHARACTERS = 120  # the database's limit
REVISION_CHARACTERS = 64
SEEDS_END = 2**31
CHUNK = 10_000  # answers held in memory at a time


@dataclass(frozen=True)
class Target:
    """The items that a submission answers, and how the model was prompted."""

    benchmark: Benchmark
    pack: Pack
    model: str
    strategy: StrategyName
    condition: str
    split: str
    revision: str = ""
    parser: str = ""  # for raw replies; '' = the benchmark's own parser

    def items(self) -> ItemQuerySet:
        """The items that must be answered; items hidden by a study are treated as unknown."""
        return self.all_items().filter(open_to(PUBLIC, Fact.EXISTENCE))

    def all_items(self) -> ItemQuerySet:
        """The same items, including those hidden by a study."""
        return self.pack.items.askable().in_split(self.split).for_strategy(self.benchmark, self.strategy)

    @property
    def facts(self) -> dict[str, str]:
        """The header that names this target."""
        return {
            "benchmark": self.benchmark.slug,
            "pack": self.pack.name,
            "model": self.model,
            "strategy": self.strategy.name,
            "condition": self.condition,
            "split": self.split,
        }


class AnswerRow(NamedTuple):
    """One answer as uploaded.

    `kind` is `answer`, `reply` (raw), `prediction` (of an official result file), or, with numbers as JSON in `text`,
    `log_probs`, `margin` or `surprise`. `name` is the file's own name of the item, if it does not use the id. A tuple:
    a file may have a million rows.
    """

    line: int
    item: str
    kind: str
    text: str
    seed: int = 0
    name: str = ""
    thoughts: str = ""  # of a reasoning model, apart from its reply; never parsed
    finish: str | None = None  # the file's word for how the reply ended, if it has one

    @property
    def spoken(self) -> SpokenReply:
        """The reply as parsers get it."""
        return reply_of(RawReply(self.text, self.thoughts, self.finish))

    def numbers_as_text(self, options: Sequence[str], seconds: float) -> str:
        """The row's numbers as the text of a reply; raises NotLogProbabilities or NotSurprises with the reason.

        `seconds` is the length of the item's clip; no window may lie beyond it.
        """
        if self.kind == SURPRISE:
            surprises, times = surprises_in(self.text)
            if times and times[-1] > seconds:
                what = f"time {len(times)}, {times[-1]:g} s, lies outside the clip, which lasts {seconds:.2f} s"
                raise NotSurprises(what)
            return surprises_written(surprises, times)
        if self.kind != MARGIN:
            return log_probs_written(log_probs_in(self.text, options))
        if len(options) != 2:
            what = f"a `margin` is for two options, and this item has {len(options)}: give `log_probs`"
            raise NotLogProbabilities(what)
        return log_probs_written(dict(zip(options, _of_margin(json.loads(self.text)), strict=True)))


def _of_margin(margin: object) -> tuple[float, float]:
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not math.isfinite(margin):
        raise NotLogProbabilities(f"`margin` is {str(margin)[:40]!r}, not a finite number")
    return -float(np.logaddexp(0.0, -margin)), -float(np.logaddexp(0.0, margin))


class SpooledAnswer(NamedTuple):
    """One good answer with its reading and score; `score` is None if the item's answer is withheld."""

    item: int  # its primary key
    seed: int
    raw: str
    answer: str
    problem: str
    score: float | None
    thoughts: str = ""
    ended: str = ""
    margin: float | None = None  # of numbers; see measures/detection/margins.py


class Spool:
    """A temporary file of answers in the order added; it is deleted with the object."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # as long as this object
        self._waiting: list[SpooledAnswer] = []
        self.count = 0

    def add(self, answer: SpooledAnswer) -> None:
        self._waiting.append(answer)
        self.count += 1
        if len(self._waiting) == CHUNK:
            self._write()

    def chunks(self) -> Iterator[list[SpooledAnswer]]:
        """Yield all answers from the beginning, one chunk at a time; may be called again."""
        self._write()
        self._file.seek(0)
        while self._file.read(1):
            self._file.seek(-1, 1)
            yield [SpooledAnswer._make(values) for values in marshal.load(self._file)]  # noqa: S302  # written by us alone # nosec B302

    def _write(self) -> None:
        if self._waiting:
            marshal.dump([tuple(answer) for answer in self._waiting], self._file)
            self._waiting.clear()
