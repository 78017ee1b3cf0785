"""Object rotations: a thing turns by the same angle, by more each time, or two things turn against each other."""

from numpy.random import Generator

from scenes.giraffe.icons import PLAIN, STRONG, TURNABLE
from scenes.giraffe.puzzle import (
    NEXT,
    ORDER,
    ROTATION,
    Picture,
    PictureElement,
    Puzzle,
    a,
    each_of,
    row_of,
    series,
    word,
)

STEPS = (15, 20, 30, 40, 45, 60, 75, 90, 120, 135)  # degrees
WAYS = {1: "clockwise", -1: "anticlockwise"}


def draw(rng: Generator) -> Puzzle:
    return (_steady, _steady, _faster, _against)[int(rng.integers(4))](rng)


def _steady(rng: Generator) -> Puzzle:
    images, step, way = int(rng.integers(3, 6)), int(rng.choice(STEPS)), int(rng.choice((1, -1)))
    start = int(rng.choice((0, 0, 30, 45, 60, 90, 180, 270)))
    angles = [(start + way * place * step) % 360 for place in range(images + 1)]
    phrase = f"from one image to the next it turns {WAYS[way]} by {step} degrees"
    return _of_one(rng, angles, way, step, phrase)


def _faster(rng: Generator) -> Puzzle:
    """By one step, then by two, then by three: four images show three turns."""
    first, way = int(rng.choice((10, 15, 20, 30))), int(rng.choice((1, -1)))
    start = int(rng.choice((0, 45, 90, 180, 270)))
    angles = [(start + way * first * place * (place + 1) // 2) % 360 for place in range(5)]
    phrase = f"it turns {WAYS[way]}, first by {first} degrees and then each time by {first} degrees more than before"
    return _of_one(rng, angles, way, 4 * first, phrase)


def _of_one(rng: Generator, angles: list[int], way: int, step: int, phrase: str) -> Puzzle:
    name, colour = str(rng.choice(TURNABLE)), str(rng.choice(STRONG))
    known, following = angles[:-1], angles[-1]

    def picture(angle: int) -> Picture:
        return (PictureElement(name, size=62, colour=colour, turn=float(angle % 360)),)

    wrong = [
        (known[-1], "as in the last image"),
        (known[-1] - way * step, "turned the other way"),
        (following + way * step, "turned twice as far"),
        (following + 180, "half a turn too far"),
        (following + 90, "a quarter turn too far"),
        (known[0], "as in the first image"),
    ]
    return Puzzle(
        (ROTATION,),
        *row_of(picture, angles, wrong),
        pattern=f"{each_of(len(known))} shows {a(colour)} {name}. {ORDER} it is turned by {series(known)} degrees"
        f" clockwise from upright: {phrase}.",
        pred=f"{NEXT} the {name} will be turned by {following} degrees clockwise from upright.",
    )


def _against(rng: Generator) -> Puzzle:
    names, colours = rng.choice(TURNABLE, 2, replace=False), rng.choice(PLAIN, 2, replace=False)
    images, way, step = int(rng.integers(3, 5)), int(rng.choice((1, -1))), int(rng.choice((30, 45, 60, 90)))
    turns = [(way * place * step) % 360 for place in range(images + 1)]
    counter = [-angle % 360 for angle in turns]

    def picture(pair: tuple[int, int]) -> Picture:
        return tuple(
            PictureElement(str(name), x, size=42, colour=str(colour), turn=float(angle % 360))
            for name, colour, x, angle in zip(names, colours, (27, 73), pair, strict=True)
        )

    one, other = turns[-1], counter[-1]
    wrong = [
        ((turns[-2], counter[-2]), "the last image once more"),
        ((one, counter[-2]), "the right one did not turn"),
        ((turns[-2], other), "the left one did not turn"),
        ((one, one + 180), "the right one is turned wrongly"),
        ((one + way * step, other - way * step), "both turned twice as far"),
        ((one + 90, other), "the left one too far"),
    ]
    return Puzzle(
        (ROTATION,),
        *row_of(picture, list(zip(turns, counter, strict=True)), wrong),
        pattern=f"{each_of(images)} shows {a(colours[0])} {names[0]} on the left and {a(colours[1])} {names[1]} on the"
        f" right, both upright in the first of the {word(images)}. {ORDER} the {names[0]} turns {WAYS[way]} and the"
        f" {names[1]} turns {WAYS[-way]}, each by {step} degrees from one image to the next.",
        pred=f"{NEXT} the {names[0]} will be turned by {one} degrees and the {names[1]} by {other} degrees clockwise"
        " from upright.",
    )
