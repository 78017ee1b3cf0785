"""Numerical variations: a number on a card changes by a rule."""

from collections.abc import Callable

from numpy.random import Generator

from scenes.giraffe.icons import STRONG
from scenes.giraffe.puzzle import NEXT, ORDER, PROPERTY, Picture, PictureElement, Puzzle, a, each_of, row_of, series

Rule = tuple[list[int], str]  # the numbers including the next one, and the rule in words


def draw(rng: Generator) -> Puzzle:
    rule = RULES[int(rng.integers(len(RULES)))]
    numbers, phrase = rule(rng)
    colour = str(rng.choice(STRONG))
    known, following = numbers[:-1], numbers[-1]
    last, step = known[-1], known[-1] - known[-2]
    wrong = [
        (last, "the last number once more"),
        (last + step, "the last step once more"),
        (following + 1, "one too many"),
        (following - 1, "one too few"),
        (following + 10, "ten too many"),
        (known[-2], "a step back"),
        (2 * following - last, "two steps at once"),
    ]

    def picture(number: int) -> Picture:
        return (PictureElement("number", size=60, colour=colour, text=str(number)),)

    return Puzzle(
        (PROPERTY,),
        *row_of(picture, numbers, (miss for miss in wrong if miss[0] >= 0)),
        pattern=f"{each_of(len(known))} shows {a(colour)} number. {ORDER} the numbers are {series(known)}: {phrase}.",
        pred=f"{NEXT} the number will be {following}.",
    )


def _adding(rng: Generator) -> Rule:
    images, step = int(rng.integers(3, 6)), int(rng.choice((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 25, 50)))
    if rng.random() < 0.5:
        start = int(rng.integers(1, 100))
        return [start + place * step for place in range(images + 1)], f"each is {step} more than the one before"
    start = step * images + int(rng.integers(0, 60))
    return [start - place * step for place in range(images + 1)], f"each is {step} less than the one before"


def _multiplying(rng: Generator) -> Rule:
    factor, images, start = int(rng.choice((2, 3))), 4, int(rng.integers(1, 31))
    numbers = [start * factor**place for place in range(images + 1)]
    name = {2: "twice", 3: "three times"}[factor]
    return numbers, f"each is {name} the one before"


def _halving(rng: Generator) -> Rule:
    end = int(rng.integers(1, 61))
    return [end * 2**place for place in (4, 3, 2, 1, 0)], "each is half of the one before"


def _growing(rng: Generator) -> Rule:
    start, first, more = int(rng.integers(1, 40)), int(rng.integers(1, 6)), int(rng.integers(1, 4))
    numbers = [start]
    for place in range(5):
        numbers.append(numbers[-1] + first + place * more)
    return numbers, f"first {first} is added, and then from step to step {more} more than before"


def _by_turns(rng: Generator) -> Rule:
    start, more = int(rng.integers(12, 60)), int(rng.integers(3, 13))
    less = int(rng.integers(1, more))
    numbers = [start]
    for place in range(5):
        numbers.append(numbers[-1] + (-less if place % 2 else more))
    return numbers, f"by turns {more} is added and {less} is taken away"


def _summing(rng: Generator) -> Rule:
    numbers = [int(rng.integers(1, 13)), int(rng.integers(1, 13))]
    for _ in range(4):
        numbers.append(numbers[-1] + numbers[-2])
    return numbers, "from the third on, each is the sum of the two before"


RULES: tuple[Callable[[Generator], Rule], ...] = (
    _adding,
    _adding,
    _multiplying,
    _halving,
    _growing,
    _by_turns,
    _summing,
)
