"""Files of votes: which of two clips of one prompt is better, who said so, and which of them was shown first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.definitions.files.table_text import csv_table
from leaderboard.publications.later_results import BadResults
from measures.estimate import Votes

FIRST, SECOND, EQUAL, BOTH_BAD = "first", "second", "equal", "both bad"
SHARES = {FIRST: 1.0, SECOND: 0.0, EQUAL: 0.5, BOTH_BAD: 0.5}
# The site's names, and those that arenas and arenakit give the same columns and answers.
COLUMNS = {
    "first": ("first", "model_a", "model a"),
    "second": ("second", "model_b", "model b"),
    "answer": ("answer", "winner"),
    "person": ("person", "voter_id", "user", "judge"),
    "prompt": ("prompt", "item_id", "prompt id", "prompt_id"),
}
ANSWERS = {
    FIRST: (FIRST, "a", "model_a"),
    SECOND: (SECOND, "b", "model_b"),
    EQUAL: (EQUAL, "tie"),
    BOTH_BAD: (BOTH_BAD, "both_bad", "tie (bothbad)", "bothbad"),
}
MEANT = {spelling: answer for answer, spellings in ANSWERS.items() for spelling in spellings}
COLUMNS_OF_NUMBERS = ("first", "second", "answers", "people", "prompts")
VOTES, LONGEST, MOST_NAMED = 200_000, 120, 10


class BadVotesError(BadResults):
    """The file is refused; the message names the first lines that can't be used, and how many there are."""


@dataclass(frozen=True)
class VoteTable:
    """Votes as places in lists of names; people and prompts are numbers."""

    generators: tuple[str, ...]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    answers: NDArray[np.int64]  # places in ANSWERS
    people: NDArray[np.int64]
    prompts: NDArray[np.int64]

    @cached_property
    def votes(self) -> Votes:
        shares = np.array([SHARES[answer] for answer in ANSWERS])
        return Votes(self.first, self.second, shares[self.answers], self.people, self.prompts)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """[first, second, answer]: how often this answer was given to the two in this order."""
        counts = np.zeros((len(self.generators), len(self.generators), len(ANSWERS)), np.int64)
        np.add.at(counts, (self.first, self.second, self.answers), 1)
        return counts

    def packed(self) -> dict[str, list[Any]]:
        """As JSON can hold it."""
        columns = {name: getattr(self, name).tolist() for name in COLUMNS_OF_NUMBERS}
        return {"generators": list(self.generators), **columns}

    @classmethod
    def unpacked(cls, packed: Mapping[str, list[Any]]) -> "VoteTable":
        columns = {name: np.array(packed[name], np.int64) for name in COLUMNS_OF_NUMBERS}
        return cls(tuple(packed["generators"]), **columns)


def read_votes(name: str, text: str) -> VoteTable:
    """Raises BadVotesError for a missing column, a cell that is empty or too long, an unknown answer, a name twice."""
    rows: list[dict[str, str]] = []
    mistakes: list[str] = []
    try:
        headings, lines = csv_table(name, text)
        columns = _columns(headings)
        for line, cells in lines:
            row = {meaning: cells[heading].strip() for meaning, heading in columns.items()}
            mistakes += [f"line {line}: {wrong}"] if (wrong := _wrong(row)) else []
            rows.append(row)
            if len(rows) > VOTES:
                raise BadVotesError(f"more than {VOTES:,} votes")
    except BadDefinition as broken:
        mistakes += map(str, broken.mistakes)
    if mistakes or not rows:
        more = f"; and {len(mistakes) - MOST_NAMED} more lines" if len(mistakes) > MOST_NAMED else ""
        raise BadVotesError("; ".join(mistakes[:MOST_NAMED]) + more if mistakes else "no votes")
    return _table(rows)


def _columns(headings: Sequence[str]) -> dict[str, str]:
    """What a column means -> its heading."""
    spelled = {heading.strip().casefold(): heading for heading in headings}
    columns = {}
    for meaning, spellings in COLUMNS.items():
        if not (named := [spelled[spelling] for spelling in spellings if spelling in spelled]):
            raise BadVotesError(f"line 1: no column {meaning} (or {', '.join(spellings[1:])})")
        columns[meaning] = named[0]
    return columns


def _wrong(cells: Mapping[str, str]) -> str:
    """What keeps a line from being a vote; "" if nothing does."""
    if empty := [name for name, cell in cells.items() if not cell]:
        return f"{empty[0]} is empty"
    if long := [name for name, cell in cells.items() if len(cell) > LONGEST or not cell.isprintable()]:
        return f"{long[0]} is longer than {LONGEST} letters, or has letters that can’t be printed"
    if cells["answer"].casefold() not in MEANT:
        return f"answer is {cells['answer']!r}; it can be {', '.join(ANSWERS)}"
    return f"{cells['first']!r} against itself" if cells["first"] == cells["second"] else ""


def _table(rows: Sequence[Mapping[str, str]]) -> VoteTable:
    generators = sorted({row[side] for row in rows for side in ("first", "second")})
    numbers = {name: number for number, name in enumerate(generators)}
    answers = {answer: number for number, answer in enumerate(ANSWERS)}
    return VoteTable(
        generators=tuple(generators),
        first=np.array([numbers[row["first"]] for row in rows]),
        second=np.array([numbers[row["second"]] for row in rows]),
        answers=np.array([answers[MEANT[row["answer"].casefold()]] for row in rows]),
        people=_numbered([row["person"] for row in rows]),
        prompts=_numbered([row["prompt"] for row in rows]),
    )


def _numbered(names: Sequence[str]) -> NDArray[np.int64]:
    """Names as numbers from 0."""
    return np.unique(names, return_inverse=True)[1]
