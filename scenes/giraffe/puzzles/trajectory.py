"""Trajectory movements: straight, accelerating, up and down, along the border of a board, or round a dial."""

import math
from collections.abc import Sequence

from numpy.random import Generator

from scenes.giraffe.icons import STRONG
from scenes.giraffe.puzzle import (
    MOVEMENT,
    NEXT,
    ORDER,
    Picture,
    PictureElement,
    Puzzle,
    a,
    each_of,
    row_of,
    series,
    units,
)
from scenes.giraffe.puzzles.board import COUNTED, DIRECTIONS, PatternBoard, Place, spoken
from scenes.giraffe.puzzles.rotation import WAYS

THINGS = ("ball", "star", "heart", "apple", "fish", "car", "boat", "mushroom", "bell", "diamond", "triangle", "cube")
SIDES = {1: "right", -1: "left"}
HEIGHTS = {1: "down", -1: "up"}


def draw(rng: Generator) -> Puzzle:
    return (_straight, _straight, _faster, _zigzag, _border, _round)[int(rng.integers(6))](rng)


def _straight(rng: Generator) -> Puzzle:
    board, images = _board(rng), int(rng.integers(3, 6))
    down, right = 0, 0
    while not (down or right):
        down, right = int(rng.integers(-2, 3)), int(rng.integers(-2, 3))
    parts = []
    if down:
        parts.append(f"{units(abs(down), 'row')} {HEIGHTS[_sign(down)]}")
    if right:
        parts.append(f"{units(abs(right), 'column')} to the {SIDES[_sign(right)]}")
    places = [(place * down, place * right) for place in range(images + 1)]
    return _on_board(rng, board, board.placed(rng, places), f"from one image to the next it moves {series(parts)}")


def _faster(rng: Generator) -> Puzzle:
    name = str(rng.choice(list(DIRECTIONS)))
    down, right = DIRECTIONS[name]
    long, short = int(rng.integers(11, 13)), int(rng.integers(4, 10))
    board = PatternBoard(long, short) if down else PatternBoard(short, long)
    far = (0, 1, 3, 6, 10)
    way = name if down else f"to the {name}"
    rule = f"it moves {way}, first by one square and then each time by one square more than before"
    return _on_board(rng, board, board.placed(rng, [(step * down, step * right) for step in far]), rule)


def _zigzag(rng: Generator) -> Puzzle:
    images = int(rng.integers(4, 6))
    step, side, high = int(rng.integers(1, 3)), int(rng.choice((1, -1))), int(rng.choice((1, 2, 3)))
    first = int(rng.choice((1, -1)))  # down or up first
    board = PatternBoard(high + int(rng.integers(2, 5)), step * images + int(rng.integers(1, 4)))
    places = [(first * high * (place % 2), side * step * place) for place in range(images + 1)]
    rule = (
        f"it moves {units(step, 'column')} to the {SIDES[side]} each time, and by turns {units(high, 'row')}"
        f" {HEIGHTS[first]} and {units(high, 'row')} {HEIGHTS[-first]}"
    )
    return _on_board(rng, board, board.placed(rng, places), rule)


def _border(rng: Generator) -> Puzzle:
    edge = int(rng.integers(4, 8))
    board, images, way = PatternBoard(edge, edge), int(rng.integers(4, 6)), int(rng.choice((1, -1)))
    ring = _ring(edge)
    step, start = int(rng.integers(2, edge)), int(rng.integers(len(ring)))
    places = [ring[(start + way * step * place) % len(ring)] for place in range(images + 1)]
    rule = f"it goes {WAYS[way]} along the border, {units(step, 'square')} from one image to the next"
    return _on_board(rng, board, places, rule)


def _ring(edge: int) -> list[Place]:
    """The squares of the border, clockwise from the top left one."""
    top = [(1, column) for column in range(1, edge)]
    right = [(row, edge) for row in range(1, edge)]
    return [*top, *right, *((edge, edge + 1 - column) for _, column in top), *((edge + 1 - row, 1) for row, _ in right)]


def _on_board(rng: Generator, board: PatternBoard, places: Sequence[Place], rule: str) -> Puzzle:
    name, colour = str(rng.choice(THINGS)), str(rng.choice(STRONG))

    def picture(place: Place) -> Picture:
        return (board.grid, board.mark(name, *place, share=0.92, colour=colour))

    known, following = places[:-1], places[-1]
    (row, column), last = following, known[-1]
    wrong = [
        (last, "where it was in the last image"),
        (known[-2], "a step back"),
        ((row + 1, column), "a row too low"),
        ((row - 1, column), "a row too high"),
        ((row, column + 1), "a column too far right"),
        ((row, column - 1), "a column too far left"),
        ((last[0], column), "in the row of the last image"),
        ((2 * row - last[0], 2 * column - last[1]), "two steps at once"),
    ]
    return Puzzle(
        (MOVEMENT,),
        *row_of(picture, places, (miss for miss in wrong if board.holds(*miss[0]))),
        pattern=f"{each_of(len(known))} shows {a(colour)} {name} on a board of {board.rows} rows and {board.columns}"
        f" columns. {COUNTED} {ORDER} the {name} stands in {'; '.join(map(spoken, known[:-1]))} and {spoken(last)}:"
        f" {rule}.",
        pred=f"{NEXT} the {name} will stand in {spoken(following)}.",
    )


def _round(rng: Generator) -> Puzzle:
    name, colour = str(rng.choice(THINGS)), str(rng.choice(STRONG))
    images, step, way = int(rng.integers(3, 6)), int(rng.integers(1, 6)), int(rng.choice((1, -1)))
    start = int(rng.integers(12))
    hours = [(start + way * step * place) % 12 for place in range(images + 1)]

    def picture(hour: int) -> Picture:
        angle = math.radians(hour * 30)
        place = round(50 + 30 * math.sin(angle), 3), round(50 - 30 * math.cos(angle), 3)
        return (PictureElement("dial", size=84), PictureElement(name, *place, size=20, colour=colour))

    following = hours[-1]
    wrong = [
        (hours[-2], "where it was in the last image"),
        (hours[-3], "a step back"),
        (following + 1, "a mark too far"),
        (following - 1, "a mark short"),
        (following + way * step, "two steps at once"),
        (following + 6, "opposite"),
    ]
    hours_named = [hour or 12 for hour in hours]
    return Puzzle(
        (MOVEMENT,),
        *row_of(picture, hours, ((hour % 12, what) for hour, what in wrong)),
        pattern=f"{each_of(images)} shows {a(colour)} {name} inside a dial with twelve marks, like those of a clock."
        f" {ORDER} the {name} stands at {series(hours_named[:-1])} o'clock: it goes round {WAYS[way]},"
        f" {units(step, 'mark')} from one image to the next.",
        pred=f"{NEXT} the {name} will stand at {hours_named[-1]} o'clock.",
    )


def _board(rng: Generator) -> PatternBoard:
    return PatternBoard(int(rng.integers(5, 10)), int(rng.integers(5, 10)))


def _sign(number: int) -> int:
    return 1 if number > 0 else -1
