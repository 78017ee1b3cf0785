"""Tetris: a piece falls onto what lies at the bottom; on its way it may turn or move sideways."""

from collections.abc import Iterable

from numpy.random import Generator

from scenes.giraffe.board import COUNTED, Board
from scenes.giraffe.icons import STRONG
from scenes.giraffe.puzzle import MOVEMENT, ROTATION, Mark, Picture, Puzzle, TooFew, chosen
from scenes.giraffe.words import NEXT, ORDER, a, each_of, listed, units

Cells = tuple[tuple[int, int], ...]  # rows and columns from the top left corner of the piece
PIECES: dict[str, Cells] = {
    "I": ((0, 0), (0, 1), (0, 2), (0, 3)), "O": ((0, 0), (0, 1), (1, 0), (1, 1)),
    "T": ((0, 1), (1, 0), (1, 1), (1, 2)), "S": ((0, 1), (0, 2), (1, 0), (1, 1)),
    "Z": ((0, 0), (0, 1), (1, 1), (1, 2)), "J": ((0, 0), (1, 0), (1, 1), (1, 2)),
    "L": ((0, 2), (1, 0), (1, 1), (1, 2)),
}  # fmt: skip
SAME_AFTER = {"O": 1, "I": 2, "S": 2, "Z": 2, "T": 4, "J": 4, "L": 4}  # quarter turns after which it looks the same
BOARD = Board(12, 8)
HEAP = 2  # rows at the bottom, at most


def draw(rng: Generator) -> Puzzle:
    letter, colour = str(rng.choice(list(PIECES))), str(rng.choice(STRONG))
    images, fall, top = int(rng.integers(3, 6)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    turns = bool(SAME_AFTER[letter] == 4 and rng.random() < 0.5)
    side = 0 if turns else int(rng.choice((0, 0, 1, -1)))
    left = int(rng.integers(1, BOARD.columns + 1))
    heap = _heap(rng)

    def picture(row: int, column: int, quarter: int) -> Picture:
        squares = [(row + down, column + right) for down, right in turned(PIECES[letter], quarter)]
        return (BOARD.grid, *_blocks(heap, "grey"), *_blocks(squares, colour))

    def fits(row: int, column: int, quarter: int) -> bool:
        squares = {(row + down, column + right) for down, right in turned(PIECES[letter], quarter)}
        return not squares & set(heap) and all(BOARD.holds(*square) for square in squares)

    states = [(top + place * fall, left + place * side, place % 4 if turns else 0) for place in range(images + 1)]
    if not all(fits(*state) for state in states):
        raise TooFew("the piece does not fit")
    row, column, quarter = states[-1]
    wrong = [
        ((*states[-2],), "the last image once more"), ((row - 1, column, quarter), "a row too high"),
        ((row + 1, column, quarter), "a row too low"), ((row, column - 1, quarter), "a column too far left"),
        ((row, column + 1, quarter), "a column too far right"), ((row + fall, column, quarter), "two steps at once"),
        ((row, column, (quarter + 1) % 4), "turned too far"), ((row, column, (quarter + 2) % 4), "turned wrongly"),
    ]  # fmt: skip
    rows, columns = [state[0] for state in states], [state[1] for state in states]
    sideways = f" and moves {units(1, 'column')} to the {'right' if side > 0 else 'left'}" if side else ""
    place = f"its leftmost column is {columns[0]}" if not side else f"its leftmost column is {listed(columns[:-1])}"
    turning = " and turns clockwise by a quarter turn" if turns else ""
    return Puzzle(
        changes=(MOVEMENT, ROTATION) if turns else (MOVEMENT,),
        images=tuple(picture(*state) for state in states[:-1]),
        following=picture(row, column, quarter),
        near_misses=chosen(
            rng, picture(row, column, quarter), ((picture(*state), what) for state, what in wrong if fits(*state))
        ),
        pattern=f"{each_of(images)} shows a Tetris board of {BOARD.rows} rows and {BOARD.columns} columns with"
        f" {a(colour)} {letter} piece above grey blocks. {COUNTED} {ORDER} the top row of the piece is"
        f" {listed(rows[:-1])}, and {place}: from one image to the next it falls by"
        f" {units(fall, 'row')}{sideways}{turning}.",
        pred=f"{NEXT} the top row of the piece will be {row} and its leftmost column {column}"
        f"{_turned(quarter) if turns else ''}.",
    )  # fmt: skip


def turned(cells: Cells, quarters: int) -> Cells:
    """The piece after so many quarter turns clockwise, again from its own top left corner."""
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


def _blocks(squares: Iterable[tuple[int, int]], colour: str) -> list[Mark]:
    return [BOARD.mark("block", *square, share=0.94, colour=colour) for square in squares]
