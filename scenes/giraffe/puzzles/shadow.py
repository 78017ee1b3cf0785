"""Shadow rotations: a post seen from above, whose shadow goes round a dial like a sundial's."""

from functools import partial

from numpy.random import Generator

from scenes.giraffe.icons import STRONG
from scenes.giraffe.puzzle import (
    NEXT,
    ORDER,
    PROPERTY,
    ROTATION,
    Picture,
    PictureElement,
    Puzzle,
    each_of,
    row_of,
    series,
)
from scenes.giraffe.puzzles.rotation import WAYS

POSTS = {"round": "circle", "square": "square", "six-sided": "hexagon"}
STEPS = (15, 20, 30, 40, 45, 60, 75, 90)  # degrees
DIAL = 80.0


def _picture(post: str, colour: str, shadow: tuple[int, int]) -> Picture:
    angle, length = shadow
    return (
        PictureElement("dial", size=DIAL),
        PictureElement("shadow", size=float(length), turn=float(angle % 360)),
        PictureElement(POSTS[post], size=15, colour=colour),
    )


def draw(rng: Generator) -> Puzzle:
    images, step, way = int(rng.integers(3, 6)), int(rng.choice(STEPS)), int(rng.choice((1, -1)))
    start, post = int(rng.choice(range(0, 360, 15))), str(rng.choice(list(POSTS)))
    colour, grows = str(rng.choice(STRONG)), int(rng.choice((0, 0, 3, -3)))
    first = int(rng.choice((18, 20, 22))) if grows >= 0 else int(rng.choice((34, 36, 38)))
    angles = [(start + way * place * step) % 360 for place in range(images + 1)]
    lengths = [first + place * grows if grows else 34 for place in range(images + 1)]

    following = angles[-1]
    wrong = [
        ((angles[-2], lengths[-2]), "as in the last image"),
        ((angles[-3], lengths[-1]), "turned the other way"),
        ((following + way * step, lengths[-1]), "turned twice as far"),
        ((following + 180, lengths[-1]), "on the other side"),
        ((following + 90, lengths[-1]), "a quarter turn too far"),
        ((following - 90, lengths[-1]), "a quarter turn short"),
    ]
    also = f" and becomes {'longer' if grows > 0 else 'shorter'}" if grows else ""
    return Puzzle(
        (ROTATION, PROPERTY) if grows else (ROTATION,),
        *row_of(partial(_picture, post, colour), list(zip(angles, lengths, strict=True)), wrong),
        pattern=f"{each_of(images)} shows a {post} {colour} post from above, in the middle of a dial, with its shadow."
        f" {ORDER} the shadow points {series(angles[:-1])} degrees clockwise from the top: from one image to the next"
        f" it turns {WAYS[way]} by {step} degrees{also}.",
        pred=f"{NEXT} the shadow will point {following} degrees clockwise from the top"
        f"{' and will be ' + ('longer' if grows > 0 else 'shorter') + ' still' if grows else ''}.",
    )
