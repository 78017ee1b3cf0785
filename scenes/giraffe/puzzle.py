"""The vocabulary of patterns: a picture is a list of elements, a puzzle is an image sequence and the next one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

EDGE = 100.0  # width and height of a picture in the units of its elements


@dataclass(frozen=True)
class PictureElement:
    """One thing on a picture: an icon, a shape, or one of the drawn parts of `drawing`.

    `x` and `y` are its centre, right and down from the top left corner, `size` its longest side, all in hundredths of a
    picture's edge; `turn` is in degrees clockwise. `text` is what a clock or a number shows, a grid's "ROWSxCOLUMNS", a
    pizza's "LEFT/SLICES".
    """

    kind: str
    x: float = 50.0
    y: float = 50.0
    size: float = 60.0
    colour: str = "black"
    turn: float = 0.0
    text: str = ""


Picture = tuple[PictureElement, ...]


@dataclass(frozen=True)
class NearMiss:
    """A picture that resembles a continuation but is wrong, and why."""

    picture: Picture
    what: str


@dataclass(frozen=True)
class Puzzle:
    """A pattern: its pictures, the next one, three wrong ones, and both texts; `changes` are its dimensions of change.

    Before the three are chosen, `near_misses` holds all that a scenario offers.
    """

    changes: tuple[str, ...]
    images: tuple[Picture, ...]
    following: Picture
    near_misses: tuple[NearMiss, ...]
    pattern: str
    pred: str


MOVEMENT, ROTATION, QUANTITY, PROPERTY = CHANGES = ("spatial-movement", "rotation", "quantity", "property")
WRONG = 3  # near misses in each puzzle


class TooFew(ValueError):
    """Fewer than three different wrong pictures were offered."""


def offered(pairs: Iterable[tuple[Picture, str]]) -> tuple[NearMiss, ...]:
    """All near misses of a scenario, of which three are chosen afterwards."""
    return tuple(NearMiss(picture, what) for picture, what in pairs)


State = TypeVar("State")  # what a picture is drawn from


def row_of(
    picture: Callable[[State], Picture], states: Sequence[State], wrong: Iterable[tuple[State, str]]
) -> tuple[tuple[Picture, ...], Picture, tuple[NearMiss, ...]]:
    """The images of all states but the last, which comes next, and the near misses."""
    *known, following = map(picture, states)
    return tuple(known), following, offered((picture(state), what) for state, what in wrong)


NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
PLURALS = {"cherry": "cherries", "leaf": "leaves", "fish": "fish"}


def word(number: int) -> str:
    """The number in words up to twelve, else in digits."""
    return NUMBERS[number] if 0 < number < len(NUMBERS) else str(number)


def series(parts: Sequence[object]) -> str:
    """ "1, 2 and 3"."""
    words = [str(part) for part in parts]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def plural(name: str) -> str:
    return PLURALS.get(name) or f"{name}{'es' if name.endswith(('s', 'sh', 'x')) else 's'}"


def counted(number: int, name: str, colour: str = "") -> str:
    """ "1 red apple", "3 red apples"."""
    return f"{number} {colour} {name if number == 1 else plural(name)}".replace("  ", " ")


def a(name: str) -> str:
    """ "a key", "an apple"."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def units(number: int, name: str) -> str:
    """ "one square", "two squares"."""
    return f"{word(number)} {name if number == 1 else plural(name)}"


def each_of(images: int) -> str:
    return f"Each of these {word(images)} images"


ORDER = "In the order of the images,"
NEXT = "In the next image,"
