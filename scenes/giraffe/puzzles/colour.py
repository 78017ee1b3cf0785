"""Colour change (our own scenario): colours take turns, two things exchange theirs, or lamps light up in a row."""

from collections.abc import Sequence

from numpy.random import Generator

from scenes.giraffe.icons import PLAIN, SHAPES
from scenes.giraffe.puzzle import (
    NEXT,
    ORDER,
    PROPERTY,
    QUANTITY,
    Picture,
    PictureElement,
    Puzzle,
    a,
    each_of,
    offered,
    plural,
    row_of,
    series,
    word,
)


def draw(rng: Generator) -> Puzzle:
    return (_turns, _turns, _exchange, _lamps)[int(rng.integers(4))](rng)


def _turns(rng: Generator) -> Puzzle:
    """Every colour is shown, and the first one twice, so that the order can be known."""
    period = int(rng.integers(2, 5))
    images = int(rng.integers(max(3, period + 1), 6))
    colours, name = [str(one) for one in rng.choice(PLAIN, period, replace=False)], str(rng.choice(SHAPES))
    known, following = [colours[place % period] for place in range(images)], colours[images % period]

    def picture(colour: str) -> Picture:
        return (PictureElement(name, size=64, colour=colour),)

    wrong = [(colour, f"{colour}, whose turn it is not") for colour in PLAIN]
    return Puzzle(
        (PROPERTY,),
        *row_of(picture, [*known, following], wrong),
        pattern=f"{each_of(images)} shows {a(name)}. {ORDER} it is {series(known)}: the colours {series(colours)} take"
        " turns in this order.",
        pred=f"{NEXT} the {name} will be {following}.",
    )


def _exchange(rng: Generator) -> Puzzle:
    names, pair = rng.choice(SHAPES, 2, replace=False), [str(one) for one in rng.choice(PLAIN, 2, replace=False)]
    images = int(rng.integers(3, 6))

    def picture(left: str, right: str) -> Picture:
        return (
            PictureElement(str(names[0]), 27, size=42, colour=left),
            PictureElement(str(names[1]), 73, size=42, colour=right),
        )

    one, other = (pair[0], pair[1]) if images % 2 == 0 else (pair[1], pair[0])
    third, fourth = [colour for colour in PLAIN if colour not in pair][:2]
    wrong = [
        (picture(other, one), "the last image once more"),
        (picture(one, one), "both have one colour"),
        (picture(other, other), "both have the other colour"),
        (picture(one, third), f"{third} is not among them"),
        (picture(fourth, other), f"{fourth} is not among them"),
    ]
    return Puzzle(
        changes=(PROPERTY,),
        images=tuple(picture(pair[place % 2], pair[1 - place % 2]) for place in range(images)),
        following=picture(one, other),
        near_misses=offered(wrong),
        pattern=f"{each_of(images)} shows {a(str(names[0]))} on the left and {a(str(names[1]))} on the right. In the"
        f" first image the {names[0]} is {pair[0]} and the {names[1]} is {pair[1]}. {ORDER} the two exchange their"
        " colours each time.",
        pred=f"{NEXT} the {names[0]} will be {one} and the {names[1]} will be {other}.",
    )


def _row(name: str, colours: Sequence[str]) -> Picture:
    """Things of these colours beside each other."""
    cell, middle = 94 / len(colours), (len(colours) - 1) / 2
    size = round(min(cell * 0.84, 16), 3)
    return tuple(
        PictureElement(name, round(50 + (place - middle) * cell, 3), size=size, colour=colour)
        for place, colour in enumerate(colours)
    )


def _lamps(rng: Generator) -> Puzzle:
    row, step, images = int(rng.integers(5, 11)), int(rng.integers(1, 3)), int(rng.integers(3, 5))
    images = min(images, max(3, row // step))
    name, colour, side = str(rng.choice(SHAPES)), str(rng.choice(PLAIN)), str(rng.choice(("left", "right")))
    first = int(rng.integers(0, max(1, row - images * step + 1)))
    counts = [min(row, first + place * step) for place in range(images + 1)]
    if counts[-1] != first + images * step:
        return _lamps(rng)

    def picture(lit: tuple[int, str]) -> Picture:
        marks = [colour if place < lit[0] else "grey" for place in range(row)]
        return _row(name, marks if lit[1] == "left" else marks[::-1])

    following, other = counts[-1], "right" if side == "left" else "left"
    wrong = [
        ((counts[-2], side), "the last image once more"),
        ((counts[-3], side), "a step back"),
        ((following, other), f"counted from the {other}"),
        ((following - 1, side), "one too few"),
        *([((following + 1, side), "one too many")] if following < row else []),
        ((counts[-2], other), f"the last image, counted from the {other}"),
    ]
    return Puzzle(
        (PROPERTY, QUANTITY),
        *row_of(picture, [(count, side) for count in counts], wrong),
        pattern=f"{each_of(images)} shows a row of {word(row)} {plural(name)}. {ORDER} {series(counts[:-1])} of them,"
        f" counted from the {side}, are {colour} and the others are grey: {word(step)} more"
        f" {'becomes' if step == 1 else 'become'} {colour} each time.",
        pred=f"{NEXT} {following} of them, counted from the {side}, will be {colour}.",
    )
