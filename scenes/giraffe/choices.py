"""Near misses for the three wrong pictures of a puzzle, with one mistake or two, and how alike they look.

`balance` takes three of them, so that choices and shown pictures alone don't reveal the right one.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from scenes.giraffe.puzzle import WRONG, NearMiss, Picture, PictureElement, Puzzle

POOL = 11  # near misses to compare with each other; all triples of more would take too long
EDGE = 64  # pixels of compared pictures; at half of it, two about equally near pictures swap places
SAME = 60  # of 255; pictures with no larger pixel difference look the same
PLACES = WRONG + 1  # of the right picture in an order of the four
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class ComparedPictures:
    """The right picture, first, and near misses that look unlike it and each other.

    Differences of every two are [pictures, pictures]; those from the last shown picture, from all shown ones, and
    whether one repeats a shown one are [pictures]; with small copies in RGBA.
    """

    pool: tuple[NearMiss, ...]
    between: Numbers
    from_last: Numbers
    from_all: Numbers
    is_shown: NDArray[np.bool_]
    pixels: NDArray[np.uint8]


def with_wrong(one: Puzzle, found: ComparedPictures, triple: Numbers) -> Puzzle:
    """The puzzle with the wrong pictures at these places of those compared."""
    return replace(one, near_misses=tuple(found.pool[place - 1] for place in triple))


def compared(rng: Generator, one: Puzzle) -> ComparedPictures:
    """The right picture and near misses, few enough to compare all triples."""
    from scenes.giraffe.drawing import pixels_of  # opens the renderer

    pool = _pool(one)
    pool = [pool[place] for place in sorted(rng.permutation(len(pool))[:POOL])]
    pictures, count = [one.following, *(miss.picture for miss in pool)], len(one.images)
    small = np.stack([pixels_of(picture, EDGE) for picture in (*one.images, *pictures)])
    between, alike = _apart(small)
    places = [place for place in range(len(pictures)) if not alike[count + place, count : count + place].any()]
    rows = np.array(places) + count
    return ComparedPictures(
        pool=tuple(pool[place - 1] for place in places[1:]),
        between=between[np.ix_(rows, rows)],
        from_last=between[rows, count - 1],
        from_all=between[rows, :count].sum(axis=1),
        is_shown=np.asarray(alike[rows, :count].any(axis=1), np.bool_),
        pixels=small[rows],
    )


def triples_of(is_repeated: NDArray[np.bool_], again: int) -> Numbers:
    """Places of three wrong pictures, [triples, 3], with this many repeats of shown ones; the right one has place 0."""
    repeats = [place for place, again in enumerate(is_repeated) if again and place]
    new = [place for place, again in enumerate(is_repeated) if not again and place]
    found = [(*first, *second) for first in combinations(repeats, again) for second in combinations(new, WRONG - again)]
    return np.array(found, np.int64).reshape(-1, WRONG)


def _apart(small: NDArray[np.uint8]) -> tuple[Numbers, NDArray[np.bool_]]:
    """The difference of every two pictures, summed over all pixels, and whether they look the same.

    Both are [pictures, pictures].
    """
    words = small.view(np.uint32).reshape(len(small), -1)
    rows = np.ascontiguousarray(words[:, (words != words[0]).any(axis=0)]).view(
        np.uint8
    )  # most pixels are alike in all
    one = np.ones(rows.shape[1], np.float32)  # whole numbers below 2**24, so that float sums are exact
    between, alike = np.zeros((len(rows),) * 2, np.int64), np.ones((len(rows),) * 2, np.bool_)
    for place, own in enumerate(rows[:-1]):
        others = rows[place + 1 :]
        apart = np.maximum(others, own) - np.minimum(others, own)
        between[place, place + 1 :] = between[place + 1 :, place] = apart.astype(np.float32) @ one
        alike[place, place + 1 :] = alike[place + 1 :, place] = apart.max(axis=1, initial=0) <= SAME
    return between, alike


def _pool(one: Puzzle) -> list[NearMiss]:
    """The near misses with one mistake and with two, without the right picture and duplicates."""
    single = [miss for miss in one.near_misses if miss.picture != one.following]
    found = {miss.picture: miss for miss in reversed([*single, *_with_both(one.following, single)])}
    found.pop(one.following, None)
    return list(found.values())


def _with_both(right: Picture, single: list[NearMiss]) -> list[NearMiss]:
    """The pictures with two of these mistakes that can be made at once."""
    if any(mark.kind == "eyes" for mark in right):
        return []
    moved = [(miss, _moved(right, miss.picture)) for miss in single if len(miss.picture) == len(right)]
    found = []
    for (first, move), (second, other) in combinations(moved, 2):
        if right[0].kind != "grid" or _is_shift(move, other) or _is_shift(other, move):
            found.append(_both(right, first, second))
    return [miss for miss in found if miss]


def _both(right: Picture, first: NearMiss, second: NearMiss) -> NearMiss | None:
    """The picture with both mistakes; None if they can't be made at once."""
    marks = [_added(*three) for three in zip(right, first.picture, second.picture, strict=True)]
    picture = tuple(mark for mark in marks if mark)
    if len(picture) < len(right) or not _fits(picture, right):
        return None
    return NearMiss(picture, f"{first.what}; and {second.what}")


def _moved(right: Picture, wrong: Picture) -> dict[int, tuple[float, float]]:
    """The shift of each moved mark: its index in the picture -> right and down."""
    moves = ((round(two.x - one.x, 2), round(two.y - one.y, 2)) for one, two in zip(right, wrong, strict=True))
    return {place: move for place, move in enumerate(moves) if any(move)}


def _is_shift(one: dict[int, tuple[float, float]], other: dict[int, tuple[float, float]]) -> bool:
    """Whether the first change shifts all marks that either moves, by one amount; two added turns break a piece."""
    return len(set(one.values())) <= 1 and one.keys() >= other.keys()


def _added(right: PictureElement, first: PictureElement, second: PictureElement) -> PictureElement | None:
    """The second mark with the first one's change from the right mark; None if the changes can't be added."""
    if not right.kind == first.kind == second.kind:
        return None
    values = {
        name: round(getattr(second, name) + getattr(first, name) - getattr(right, name), 3)
        for name in ("x", "y", "size")
    }
    colour = second.colour if first.colour == right.colour else first.colour
    if first.colour != right.colour and second.colour != right.colour and first.colour != second.colour:
        return None
    text = _text(right, first, second)
    turn = (second.turn + first.turn - right.turn) % 360
    return None if text is None else PictureElement(right.kind, **values, colour=colour, turn=turn, text=text)


def _text(right: PictureElement, first: PictureElement, second: PictureElement) -> str | None:
    if right.text == first.text:
        return second.text
    if right.text == second.text:
        return first.text
    if right.kind == "number":
        found = int(first.text) + int(second.text) - int(right.text)
        return str(found) if 0 <= found < 10**6 else None
    if right.kind == "pizza":
        left, slices = int(first.text.split("/")[0]) + int(second.text.split("/")[0]), right.text.split("/")
        left -= int(slices[0])
        return f"{left}/{slices[1]}" if 0 <= left <= int(slices[1]) else None
    return None


def _fits(picture: Picture, right: Picture) -> bool:
    """Whether all marks lie on the picture, and on its board; things inside a dial only turn."""
    if any(not (0 <= mark.x <= 100 and 0 <= mark.y <= 100 and 4 <= mark.size <= 100) for mark in picture):
        return False
    moved = [(mark.x, mark.y) != (own.x, own.y) for mark, own in zip(picture, right, strict=True)]
    if right[0].kind == "dial":
        return not any(moved)
    places = [(mark.x, mark.y) for mark in picture[1:]]
    if right[0].kind != "grid":
        return True
    rows, columns = map(int, right[0].text.split("x"))
    half = right[0].size / max(rows, columns) / 2
    return len(set(places)) == len(places) and all(
        abs(x - 50) <= half * columns and abs(y - 50) <= half * rows for x, y in places
    )
