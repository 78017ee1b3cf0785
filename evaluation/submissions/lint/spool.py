"""Answers that passed the lint, stored on disk until the whole file has passed, so that it is read only once."""

import marshal
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

CHUNK = 10_000  # answers held in memory at a time


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
