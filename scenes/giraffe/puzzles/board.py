"""A board of squares: the places of its rows and columns on a picture, and their names."""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.random import Generator

from scenes.giraffe.puzzle import PictureElement, TooFew

SIZE = 92.0
COUNTED = "Rows are counted from the top and columns from the left."
Place = tuple[int, int]  # row and column


@dataclass(frozen=True)
class PatternBoard:
    """Rows and columns are numbered from 1."""

    rows: int
    columns: int

    @property
    def cell(self) -> float:
        return SIZE / max(self.rows, self.columns)

    @property
    def grid(self) -> PictureElement:
        return PictureElement("grid", size=SIZE, text=f"{self.rows}x{self.columns}")

    def holds(self, row: int, column: int) -> bool:
        return 1 <= row <= self.rows and 1 <= column <= self.columns

    def placed(self, rng: Generator, places: Sequence[Place]) -> list[Place]:
        """The places moved to a random position where they fit on the board; TooFew if there is none."""
        rows, columns = zip(*places, strict=True)
        room = self.rows - (max(rows) - min(rows)), self.columns - (max(columns) - min(columns))
        if min(room) < 1:
            raise TooFew("the board is too small")
        down, right = int(rng.integers(room[0])) + 1 - min(rows), int(rng.integers(room[1])) + 1 - min(columns)
        return [(row + down, column + right) for row, column in places]

    def mark(
        self, kind: str, row: int, column: int, *, share: float = 0.8, colour: str = "black", turn: float = 0.0
    ) -> PictureElement:
        """An element in the middle of this square, scaled to this share of it."""
        x = 50 + (column - 0.5 - self.columns / 2) * self.cell
        y = 50 + (row - 0.5 - self.rows / 2) * self.cell
        return PictureElement(kind, round(x, 3), round(y, 3), round(self.cell * share, 3), colour, turn)


def spoken(place: Place) -> str:
    return f"row {place[0]}, column {place[1]}"


DIRECTIONS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
