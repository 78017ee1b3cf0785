"""The columns of a board's table: by concept, with one head over the tests of each."""

from dataclasses import dataclass
from itertools import groupby

from benchmarks.definitions.concepts import CONCEPTS, Concept
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardColumn


@dataclass(frozen=True)
class HeatColumn:
    """A column of the table; `also` are titles of the further concepts that its test is about."""

    column: BoardColumn
    also: tuple[str, ...] = ()
    is_first: bool = False  # of its concept

    @property
    def short(self) -> str:
        """The last word of its title, for narrow columns."""
        return self.column.title.split()[-1].capitalize()

    @property
    def full(self) -> str:
        """The title with the further concepts, and the authors' caution."""
        words = " + ".join((self.column.title, *self.also))
        return f"{words}. {self.column.caution}" if self.column.caution else words


def columns_by_concept(board: Board) -> tuple[list[HeatColumn], list[tuple[Concept, int]]]:
    """The page's columns by concept, and how many each concept has; as they are, and none, if tests have none."""
    concepts = {value.value: value.concepts for value in board.view.benchmark.facet(board.view.group).values}
    known = {concept.slug.replace("-", " "): concept for concept in CONCEPTS.values()}
    of_page = board.page_columns
    if not all(concepts.get(column.key, ())[:1] and concepts[column.key][0] in known for column in of_page):
        return [HeatColumn(column) for column in of_page], []
    place = {name: number for number, name in enumerate(known)}
    ordered = sorted(of_page, key=lambda column: place[concepts[column.key][0]])
    columns, groups = [], []
    for name, found in groupby(ordered, key=lambda column: concepts[column.key][0]):
        own = list(found)
        groups.append((known[name], len(own)))
        for number_in_group, column in enumerate(own):
            columns.append(HeatColumn(column, tuple(concepts[column.key][1:]), is_first=number_in_group == 0))
    return columns, groups
