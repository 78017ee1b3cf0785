"""Size change (our own scenario): a thing grows or shrinks, alternates in size, or two things change oppositely."""

from numpy.random import Generator

from scenes.giraffe.icons import COUNTABLE, PLAIN, STRONG
from scenes.giraffe.puzzle import NEXT, ORDER, PROPERTY, Picture, PictureElement, Puzzle, a, each_of, row_of, series

SMALLEST, LARGEST = 10, 90  # in hundredths of a picture's edge
SHARE = "per cent of the width of the picture"


def draw(rng: Generator) -> Puzzle:
    return (_steady, _steady, _turns, _opposite)[int(rng.integers(4))](rng)


def _steady(rng: Generator) -> Puzzle:
    images, step = int(rng.integers(3, 6)), int(rng.choice((8, 10, 12, 15)))
    low = int(rng.integers(SMALLEST, LARGEST - images * step + 1))
    sizes = [low + place * step for place in range(images + 1)]
    sizes = sizes[::-1] if rng.random() < 0.5 else sizes
    grows = sizes[1] > sizes[0]
    rule = f"it becomes {'larger' if grows else 'smaller'} by {step} per cent of that width from one image to the next"
    following = sizes[-1]
    wrong = [
        (sizes[-2], "as large as in the last image"),
        (sizes[-3], "a step back"),
        (sizes[0], "as in the first image"),
        (following + (step if grows else -step), "two steps at once"),
        (following + 2 * step, "far too large"),
        (following - 2 * step, "far too small"),
    ]
    return _of_one(rng, sizes, rule, wrong, f", which is {'larger' if grows else 'smaller'} still")


def _turns(rng: Generator) -> Puzzle:
    small, more, images = int(rng.integers(18, 36)), int(rng.integers(25, 45)), int(rng.integers(3, 6))
    pair = [small, small + more] if rng.random() < 0.5 else [small + more, small]
    sizes = [pair[place % 2] for place in range(images + 1)]
    wrong = [
        (sizes[-2], "as large as in the last image"),
        (small + more // 2, "between the two"),
        (small + more + 12, "larger than ever"),
        (max(6, small - 12), "smaller than ever"),
    ]
    return _of_one(rng, sizes, f"the sizes {pair[0]} and {pair[1]} take turns", wrong, "")


def _of_one(rng: Generator, sizes: list[int], rule: str, wrong: list[tuple[int, str]], still: str) -> Puzzle:
    name, colour = str(rng.choice(COUNTABLE)), str(rng.choice(STRONG))
    known, following = sizes[:-1], sizes[-1]

    def picture(size: int) -> Picture:
        return (PictureElement(name, size=float(size), colour=colour),)

    return Puzzle(
        (PROPERTY,),
        *row_of(picture, sizes, (miss for miss in wrong if 4 <= miss[0] <= 100)),
        pattern=f"{each_of(len(known))} shows {a(colour)} {name}. {ORDER} its size is {series(known)} {SHARE}: {rule}.",
        pred=f"{NEXT} the size of the {name} will be {following} {SHARE}{still}.",
    )


def _opposite(rng: Generator) -> Puzzle:
    names, colours = rng.choice(COUNTABLE, 2, replace=False), rng.choice(PLAIN, 2, replace=False)
    images, step = int(rng.integers(3, 5)), int(rng.choice((6, 7, 8)))
    low, high = int(rng.integers(9, 46 - images * step + 1)), int(rng.integers(9 + images * step, 47))
    ups = [low + place * step for place in range(images + 1)]
    downs = [high - place * step for place in range(images + 1)]

    def picture(pair: tuple[int, int]) -> Picture:
        return tuple(
            PictureElement(str(name), x, size=float(size), colour=str(colour))
            for name, colour, x, size in zip(names, colours, (26, 74), pair, strict=True)
        )

    one, other = ups[-1], downs[-1]
    wrong = [
        ((ups[-2], downs[-2]), "the last image once more"),
        ((ups[-3], downs[-3]), "a step back"),
        ((one, downs[-3]), "the right one grew"),
        ((ups[-3], other), "the left one shrank"),
        ((ups[0], downs[0]), "the first image once more"),
    ]
    return Puzzle(
        (PROPERTY,),
        *row_of(picture, list(zip(ups, downs, strict=True)), wrong),
        pattern=f"{each_of(images)} shows {a(colours[0])} {names[0]} on the left and {a(colours[1])} {names[1]} on the"
        f" right. {ORDER} the size of the {names[0]} is {series(ups[:-1])} and that of the {names[1]} is"
        f" {series(downs[:-1])} {SHARE}: one becomes larger and the other smaller, each by {step} per cent of it.",
        pred=f"{NEXT} the size of the {names[0]} will be {one} and that of the {names[1]} {other} {SHARE}.",
    )
