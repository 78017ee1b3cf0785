"""Item quantity changes: more, fewer, or twice as many things in each image; slices of a pizza are eaten."""

import math
from collections.abc import Sequence
from functools import partial

from numpy.random import Generator

from scenes.giraffe.icons import COUNTABLE, PLAIN, STRONG
from scenes.giraffe.puzzle import (
    NEXT,
    ORDER,
    QUANTITY,
    Picture,
    PictureElement,
    Puzzle,
    TooFew,
    counted,
    each_of,
    plural,
    row_of,
    series,
    units,
    word,
)

MOST = 20  # things on a picture


def draw(rng: Generator) -> Puzzle:
    return (_one_kind, _one_kind, _doubling, _two_kinds, _pizza)[int(rng.integers(5))](rng)


def _one_kind(rng: Generator) -> Puzzle:
    images, step = int(rng.integers(3, 6)), int(rng.integers(1, 4))
    low = int(rng.integers(1, MOST - 1 - images * step + 1))
    counts = [low + place * step for place in range(images + 1)]
    counts = counts[::-1] if rng.random() < 0.4 else counts
    return _of_one(rng, counts, f"there {_change(counts[1] - counts[0])} in each image")


def _doubling(rng: Generator) -> Puzzle:
    counts = [1, 2, 4, 8, 16] if rng.random() < 0.5 else [16, 8, 4, 2, 1]
    phrase = "there are twice as many in each image" if counts[0] == 1 else "there are half as many in each image"
    return _of_one(rng, counts, phrase)


def _of_one(rng: Generator, counts: list[int], phrase: str) -> Puzzle:
    name, colour = str(rng.choice(COUNTABLE)), str(rng.choice(STRONG))
    known, following = counts[:-1], counts[-1]
    wrong = [
        (known[-1], "as many as in the last image"),
        (following + 1, "one too many"),
        (following - 1, "one too few"),
        (known[-2], "a step back"),
        (following + 2, "two too many"),
        (2 * following - known[-1], "two steps at once"),
    ]
    return Puzzle(
        (QUANTITY,),
        *row_of(partial(_rows, name, colour), counts, (miss for miss in wrong if 0 < miss[0] <= MOST)),
        pattern=f"These {word(len(known))} images show {colour} {plural(name)}. {ORDER} their number is"
        f" {series(known)}: {phrase}.",
        pred=f"{NEXT} there will be {counted(following, name, colour)}.",
    )


def _two_kinds(rng: Generator) -> Puzzle:
    names, colours = rng.choice(COUNTABLE, 2, replace=False), rng.choice(PLAIN, 2, replace=False)
    one, other = (f"{colour} {name}" for colour, name in zip(colours, names, strict=True))
    images, up, down = int(rng.integers(3, 5)), int(rng.integers(1, 3)), 1
    start, left = int(rng.integers(1, 9 - images * up + 2)), int(rng.integers(1, 9 - images * down + 1))
    ups = [start + place * up for place in range(images + 1)]
    downs = [left + place * down for place in range(images, -1, -1)]

    def picture(counts: tuple[int, int]) -> Picture:
        lines = zip(names, colours, counts, (27, 75), strict=True)
        return tuple(mark for name, colour, count, y in lines for mark in _line(str(name), str(colour), count, y))

    wrong = [
        ((ups[-2], downs[-2]), "the last image once more"),
        ((ups[-1], downs[-2]), f"too many of the {other} stay"),
        ((ups[-2], downs[-1]), f"too few of the {one}"),
        ((ups[-1] + 1, downs[-1]), f"one of the {one} too many"),
        ((ups[-3], downs[-3]), "a step back"),
        ((downs[-1], ups[-1]), "the numbers are exchanged"),
    ]
    return Puzzle(
        (QUANTITY,),
        *row_of(picture, list(zip(ups, downs, strict=True)), wrong),
        pattern=f"These {word(images)} images show {colours[0]} {plural(str(names[0]))} above and {colours[1]}"
        f" {plural(str(names[1]))} below. {ORDER} the number of those above is {series(ups[:-1])}, as there"
        f" {_change(up)} in each image, and the number of those below is {series(downs[:-1])}, as there"
        f" {_change(-down)} in each image.",
        pred=f"{NEXT} there will be {counted(ups[-1], *_names(one))} above and"
        f" {counted(downs[-1], *_names(other))} below.",
    )


def _names(thing: str) -> tuple[str, str]:
    colour, name = thing.split()
    return name, colour


def _pizza(rng: Generator) -> Puzzle:
    slices, images, step = int(rng.choice((6, 8, 10, 12))), int(rng.integers(3, 6)), int(rng.integers(1, 3))
    images = min(images, (slices - 1) // step)
    if images < 3:
        raise TooFew("the pizza has too few slices")
    most = int(rng.integers(images * step, slices + 1))
    counts = [most - place * step for place in range(images + 1)]
    counts = counts[::-1] if rng.random() < 0.3 else counts
    way = "is taken away" if counts[1] < counts[0] else "comes back"
    way = way if step == 1 else way.replace("is", "are").replace("comes", "come")

    def picture(left: int) -> Picture:
        return (PictureElement("pizza", size=84, text=f"{left}/{slices}"),)

    following = counts[-1]
    wrong = [
        (counts[-2], "as many as in the last image"),
        (counts[-3], "a step back"),
        (following + 1, "one too many"),
        (following - 1, "one too few"),
        (slices, "the whole pizza"),
        (following + 3, "three too many"),
    ]
    return Puzzle(
        (QUANTITY,),
        *row_of(picture, counts, (miss for miss in wrong if 0 <= miss[0] <= slices)),
        pattern=f"{each_of(images)} shows a pizza that was cut into {word(slices)} slices. {ORDER} the number of slices"
        f" on the plate is {series(counts[:-1])}: {units(step, 'slice')} {way} from one image to the next.",
        pred=f"{NEXT} {counted(following, 'slice')} will be on the plate.",
    )


def _change(step: int) -> str:
    if abs(step) == 1:
        return "is one more" if step > 0 else "is one fewer"
    return f"are {word(abs(step))} {'more' if step > 0 else 'fewer'}"


def _rows(name: str, colour: str, count: int) -> Picture:
    """This many things in rows, as square as possible."""
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    cell = min(30.0, 92 / columns)
    marks = []
    for row in range(rows):
        here = min(columns, count - row * columns)
        marks += _places(name, colour, here, 50 + (row - (rows - 1) / 2) * cell, cell)
    return tuple(marks)


def _line(name: str, colour: str, count: int, y: float) -> Sequence[PictureElement]:
    """Up to nine things in one row, or in two rows if there are more than five."""
    if count <= 5:
        return _places(name, colour, count, y, 18)
    first = math.ceil(count / 2)
    return [*_places(name, colour, first, y - 9, 18), *_places(name, colour, count - first, y + 9, 18)]


def _places(name: str, colour: str, count: int, y: float, cell: float) -> list[PictureElement]:
    return [
        PictureElement(name, round(50 + (place - (count - 1) / 2) * cell, 2), round(y, 2), round(cell * 0.8, 2), colour)
        for place in range(count)
    ]
