"""Pictures of a clip, and what is done to them: plain arrays, so that one rendering serves many clips."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmarks.encoding.frames import frames
from scenes.rendering.mujoco_renderer import RenderedFrame
from scenes.rendering.video import encode

Picture = NDArray[np.uint8]  # height, width, 3
Pictures = Sequence[Picture]  # a picture that stays is the same array again

# Grey levels: up to the first compression alone changes a pixel, from the second on something else does.
SAME, CHANGED = 6, 40
GRAIN, GRAINS, STAYS = 16.0, 5, 2  # grey levels of noise; different pictures of it; how long each stays
BEFORE_JUMP = 5  # pictures


def pictures_of(path: Path, width: int) -> Pictures:
    """All pictures of a clip, no wider than this."""
    pictures = [frame.picture for frame in frames(path, lambda times: range(len(times)), longest=width, threads=1)]
    for place, (before, now) in enumerate(pairwise(pictures), 1):
        if not differ(before, now, SAME):
            pictures[place] = pictures[place - 1]
    return pictures


def differ(one: Picture, other: Picture, levels: int = CHANGED) -> bool:
    """Whether any pixel differs by more than so many grey levels."""
    return bool(np.abs(one.astype(np.int16) - other).max() > levels)


def of_length(pictures: Pictures, length: int, *, lead: int = 0) -> Pictures:
    """As many pictures: the first stays for `lead` more, and the last until the end."""
    longer = [*[pictures[0]] * lead, *pictures]
    return [*longer, *[longer[-1]] * (length - len(longer))][:length]


def write(pictures: Pictures, path: Path, fps: int) -> None:
    """Encode; the same pictures give the same bytes."""
    height, width, _ = pictures[0].shape
    path.parent.mkdir(parents=True, exist_ok=True)
    encode(_rendered(pictures), path, (width, height), fps)


def write_still(picture: Picture, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path)


def _rendered(pictures: Pictures) -> Iterator[RenderedFrame]:
    before = None
    for picture in pictures:
        yield RenderedFrame(picture, is_new=picture is not before)
        before = picture


def _each(pictures: Pictures, change: Callable[[Picture], Picture]) -> Pictures:
    """Every picture changed, one that stays only once."""
    changed = {id(picture): change(picture) for picture in {id(picture): picture for picture in pictures}.values()}
    return [changed[id(picture)] for picture in pictures]


def still(pictures: Pictures, rng: np.random.Generator, lead: int) -> Pictures:
    """The first picture; a grain that nobody sees tells takes apart."""
    return [_bytes(pictures[0] + rng.uniform(-1.5, 1.5, pictures[0].shape))] * len(pictures)


def jump(pictures: Pictures, rng: np.random.Generator, lead: int) -> Pictures:
    """The end at once."""
    before = BEFORE_JUMP + lead
    return [pictures[0]] * before + [pictures[-1]] * (len(pictures) - before)


def backwards(pictures: Pictures, rng: np.random.Generator, lead: int) -> Pictures:
    return pictures[::-1]


def shuffled(pictures: Pictures, rng: np.random.Generator, lead: int) -> Pictures:
    """After the first picture the one that differs most from it, then all others in a drawn order."""
    first, *rest = pictures[lead:]
    far = max(range(len(rest)), key=lambda place: int(np.abs(rest[place].astype(np.int16) - first).sum()))
    others = [*rest[:far], *rest[far + 1 :]]
    return [*pictures[: lead + 1], rest[far], *(others[place] for place in rng.permutation(len(others)))]


def noisy(pictures: Pictures, rng: np.random.Generator, lead: int) -> Pictures:
    """Coarse noise over everything, and less colour."""
    height, width, _ = pictures[0].shape
    coarse = rng.normal(0, GRAIN, (GRAINS, -(-height // 2), -(-width // 2), 1))
    grains = coarse.repeat(2, axis=1).repeat(2, axis=2)[:, :height, :width]
    grey = _each(pictures, lambda picture: _bytes(picture * 0.5 + picture.mean(axis=2, keepdims=True) * 0.5))
    return [_bytes(picture + grains[place // STAYS % GRAINS]) for place, picture in enumerate(grey)]


def graded(pictures: Pictures, rng: np.random.Generator, lead: int) -> Pictures:
    """Stronger colours, more contrast and darker corners, as in films."""
    height, width, _ = pictures[0].shape
    y, x = np.ogrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    corners = (1.08 - 0.3 * (x * x + y * y) / 2)[..., None]

    def grade(picture: Picture) -> Picture:
        grey = picture.mean(axis=2, keepdims=True)
        return _bytes((grey + (picture - grey) * 1.4 - 120) * 1.12 * corners + 124 * corners)

    return _each(pictures, grade)


EDITS = {"still": still, "jump": jump, "backwards": backwards, "shuffled": shuffled, "noisy": noisy, "graded": graded}


def _bytes(values: NDArray[np.float64]) -> Picture:
    return np.clip(values, 0, 255).astype(np.uint8)
