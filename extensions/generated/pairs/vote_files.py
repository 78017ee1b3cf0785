"""Files of votes: which of two clips of one prompt is better, who said so, and which of them was shown first."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

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
LINES, LONGEST, MOST_NAMED = 1_000_000, 120, 10


class BadVotesError(BadResults):
    """The file is refused; the message names the first lines that can't be used, and how many there are."""


@dataclass(frozen=True)
class VoteTable:
    """Votes as places in lists of names."""

    generators: tuple[str, ...]
    answers: tuple[str, ...]  # one of ANSWERS each
    votes: Votes

    def count(self, first: int, second: int, answer: str) -> int:
        """How often this answer was headings to the two, in this order of presentation."""
        chosen = (self.votes.first == first) & (self.votes.second == second)
        return int(sum(np.asarray(self.answers)[chosen] == answer))


def read_votes(text: str) -> VoteTable:
    """Raises BadVotesError for a missing column, a cell that is empty or too long, an unknown answer, a name twice."""
    table = csv.DictReader(io.StringIO(text.lstrip("\ufeff"), newline=""), strict=True)
    headings = {(name or "").strip().casefold(): name for name in table.fieldnames or ()}
    columns = {
        name: next((headings[each] for each in known if each in headings), None) for name, known in COLUMNS.items()
    }
    if missing := [name for name, column in columns.items() if column is None]:
        raise BadVotesError(f"line 1: no column {missing[0]} (or {', '.join(COLUMNS[missing[0]][1:])})")
    rows: list[dict[str, str]] = []
    mistakes: list[str] = []
    try:
        for row in table:
            cells = {name: str(row.get(column) or "").strip() for name, column in columns.items()}
            wrong = _wrong(cells)
            mistakes += [f"line {table.line_num}: {wrong}"] if wrong else []
            rows.append(cells)
            if len(rows) > LINES:
                raise BadVotesError(f"more than {LINES:,} votes")
    except csv.Error as error:
        mistakes.append(f"line {table.line_num + 1}: {error}")
    if mistakes or not rows:
        more = f"; and {len(mistakes) - MOST_NAMED} more lines" if len(mistakes) > MOST_NAMED else ""
        raise BadVotesError("; ".join(mistakes[:MOST_NAMED]) + more if mistakes else "no votes")
    return _table(rows)


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
    generators = tuple(sorted({row[side] for row in rows for side in ("first", "second")}))
    places = {name: place for place, name in enumerate(generators)}
    answers = tuple(MEANT[row["answer"].casefold()] for row in rows)
    votes = Votes(
        np.array([places[row["first"]] for row in rows]),
        np.array([places[row["second"]] for row in rows]),
        np.array([SHARES[answer] for answer in answers]),
        *(np.unique([row[name] for row in rows], return_inverse=True)[1] for name in ("person", "prompt")),
    )
    return VoteTable(generators, answers, votes)
