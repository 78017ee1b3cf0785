"""The vocabulary of patterns: a picture is a list of elements, a puzzle is an image sequence and its next image."""

from collections.abc import Iterable
from dataclasses import dataclass

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
