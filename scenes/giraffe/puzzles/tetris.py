"""Tetris: a piece falls towards the blocks at the bottom and may turn or move sideways on its way."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from numpy.random import Generator

from scenes.giraffe.icons import STRONG
from scenes.giraffe.puzzle import (
    MOVEMENT,
    NEXT,
    ORDER,
    ROTATION,
    Picture,
    PictureElement,
    Puzzle,
    TooFew,
    a,
    each_of,
    offered,
    series,
    units,
)
from scenes.giraffe.puzzles.board import COUNTED, PatternBoard

Cells = tuple[tuple[int, int], ...]  # rows and columns from the top left corner of the piece
PIECES: dict[str, Cells] = {
    "I": ((0, 0), (0, 1), (0, 2), (0, 3)),
    "O": ((0, 0), (0, 1), (1, 0), (1, 1)),
    "T": ((0, 1), (1, 0), (1, 1), (1, 2)),
    "S": ((0, 1), (0, 2), (1, 0), (1, 1)),
    "Z": ((0, 0), (0, 1), (1, 1), (1, 2)),
    "J": ((0, 0), (1, 0), (1, 1), (1, 2)),
    "L": ((0, 2), (1, 0), (1, 1), (1, 2)),
}
SAME_AFTER = {"O": 1, "I": 2, "S": 2, "Z": 2, "T": 4, "J": 4, "L": 4}  # quarter turns until it looks the same
BOARD = PatternBoard(12, 8)
HEAP = 2  # largest number of rows at the bottom


State = tuple[int, int, int]  # row and column of the top left corner, quarter turns


@dataclass(frozen=True)
class FallingPiece:
    """A piece above a heap, and its motion from one image to the next."""

    letter: str
    colour: str
    heap: Cells
    fall: int
    side: int
    turns: bool

    def squares(self, state: State) -> list[tuple[int, int]]:
        row, column, quarter = state
        return [(row + down, column + right) for down, right in turned(PIECES[self.letter], quarter)]

    def picture(self, state: State) -> Picture:
        return (BOARD.grid, *_blocks(self.heap, "grey"), *_blocks(self.squares(state), self.colour))

    def fits(self, state: State) -> bool:
        squares = set(self.squares(state))
        return not squares & set(self.heap) and all(BOARD.holds(*square) for square in squares)

    def states(self, top: int, left: int, count: int) -> list[State]:
        """The first `count` states; TooFew if one of them is off the board or in the heap."""
        places = range(count)
        states = [(top + n * self.fall, left + n * self.side, n % 4 if self.turns else 0) for n in places]
        if not all(self.fits(state) for state in states):
            raise TooFew("the piece does not fit")
        return states

    def wrong(self, states: Sequence[State]) -> Iterator[tuple[Picture, str]]:
        """Plausible mistakes for the last state."""
        row, column, quarter = states[-1]
        expected = (
            (states[-2], "the last image once more"),
            ((row - 1, column, quarter), "a row too high"),
            ((row + 1, column, quarter), "a row too low"),
            ((row, column - 1, quarter), "a column too far left"),
            ((row, column + 1, quarter), "a column too far right"),
            ((row + self.fall, column, quarter), "two steps at once"),
            ((row, column, (quarter + 1) % 4), "turned too far"),
            ((row, column, (quarter + 2) % 4), "turned wrongly"),
        )
        yield from ((self.picture(state), what) for state, what in expected if self.fits(state))

    def words(self, states: Sequence[State]) -> str:
        """The pattern in words: what the images show."""
        rows, columns = [state[0] for state in states], [state[1] for state in states]
        sideways = f" and moves {units(1, 'column')} to the {'right' if self.side > 0 else 'left'}"
        turning = " and turns clockwise by a quarter turn" if self.turns else ""
        return (
            f"{each_of(len(states))} shows a Tetris board of {BOARD.rows} rows and {BOARD.columns} columns with"
            f" {a(self.colour)} {self.letter} piece above grey blocks. {COUNTED} {ORDER} the top row of the piece is"
            f" {series(rows)}, and its leftmost column is {series(columns) if self.side else columns[0]}: from one"
            f" image to the next it falls by {units(self.fall, 'row')}{sideways if self.side else ''}{turning}."
        )


def draw(rng: Generator) -> Puzzle:
    letter, colour = str(rng.choice(list(PIECES))), str(rng.choice(STRONG))
    images, fall, top = int(rng.integers(3, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    turns = bool(SAME_AFTER[letter] == 4 and rng.random() < 0.5)
    side = 0 if turns else int(rng.choice((0, 0, 1, -1)))
    left = int(rng.integers(1, BOARD.columns + 1))
    piece = FallingPiece(letter, colour, _heap(rng), fall, side, turns)
    states = piece.states(top, left, images + 1)
    row, column, quarter = states[-1]
    following = piece.picture(states[-1])
    return Puzzle(
        changes=(MOVEMENT, ROTATION) if turns else (MOVEMENT,),
        images=tuple(piece.picture(state) for state in states[:-1]),
        following=following,
        near_misses=offered(piece.wrong(states)),
        pattern=piece.words(states[:-1]),
        pred=f"{NEXT} the top row of the piece will be {row} and its leftmost column {column}"
        f"{_turned(quarter) if turns else ''}.",
    )


def turned(cells: Cells, quarters: int) -> Cells:
    """The piece after this many clockwise quarter turns, relative to its own top left corner."""
    for _ in range(quarters):
        lowest = max(row for row, _ in cells)
        cells = tuple((column, lowest - row) for row, column in cells)
    return tuple(sorted(cells))


def _turned(quarter: int) -> str:
    if not quarter:
        return ", turned as in the first image"
    return f", and it will be turned by {quarter * 90} degrees clockwise from the first image"


def _heap(rng: Generator) -> Cells:
    heights = rng.integers(0, HEAP + 1, BOARD.columns)
    return tuple((BOARD.rows - row, column + 1) for column, height in enumerate(heights) for row in range(int(height)))


def _blocks(squares: Iterable[tuple[int, int]], colour: str) -> list[PictureElement]:
    return [BOARD.mark("block", *square, share=0.94, colour=colour) for square in squares]
