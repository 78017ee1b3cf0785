"""What a backbone is given of frames: the square around the box, or the whole film; altered in training.

Appendix 0.B.1.1, 0.B.1.2, 0.B.3.3 and 0.B.4.3 of the paper, and PACS' own repository for the ranges.
"""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.boxes import square_around
from evaluation.adapters import torchvision_operators
from evaluation.adapters.base import Frames

torchvision_operators.declared()

from torchvision.transforms.v2 import functional as light  # noqa: E402

NEAREST = 0.85  # a square is cut with an edge of so much to 1 of the shorter side
CLIP_CORNERS = 224 / 256  # edge of CLIP's crops when it is asked
WHOLE_SQUARES = 0.1  # how often a picture for CLIP is not cut nearer in training


@dataclass(frozen=True)
class Jitter:
    """How far brightness, contrast, saturation and hue may be turned, as torchvision's ColorJitter takes them."""

    brightness: float
    contrast: float
    saturation: float
    hue: float


FUSION_JITTER = Jitter(0.1, 0.1, 0.1, 0.05)
CLIP_JITTER = Jitter(0.15, 0.15, 0.15, 0.1)
NO_JITTER = Jitter(0, 0, 0, 0)


@dataclass(frozen=True)
class Look:
    """What a backbone's own processor says of its pictures: edge in pixels, and mean and spread of each colour."""

    edge: int
    mean: tuple[float, ...]
    spread: tuple[float, ...]

    @classmethod
    def of(cls, processor: Any) -> "Look":
        processor = getattr(processor, "image_processor", processor)
        size = dict(getattr(processor, "crop_size", None) or processor.size)
        edge = size.get("height") or size["shortest_edge"]
        return cls(int(edge), tuple(processor.image_mean), tuple(processor.image_std))

    @property
    def room(self) -> int:
        """Shorter side, in pixels, that pictures are kept at: the nearest cut then has just the edge."""
        return round(self.edge / NEAREST)

    def kept(self, pixels: np.ndarray) -> torch.Tensor:
        """RGB [n, height, width, 3] of any size -> uint8 [n, 3, height, width], the shorter side `room` pixels long."""
        planes = torch.from_numpy(np.array(pixels)).permute(0, 3, 1, 2)
        return light.resize(planes, [self.room], antialias=True)

    def normal(self, pictures: torch.Tensor) -> torch.Tensor:
        """Colours from 0 to 1 [..., 3, height, width] as the backbone was trained on them."""
        mean, spread = (torch.tensor(values).view(3, 1, 1) for values in (self.mean, self.spread))
        return (pictures - mean) / spread


@dataclass(frozen=True)
class Cut:
    """A square of a picture: its edge and upper left corner in shares of the shorter side and of what is left over."""

    edge: float
    left: float
    top: float


MIDDLE = Cut(1.0, 0.5, 0.5)
CORNERS = tuple(Cut(CLIP_CORNERS, left, top) for left, top in ((0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5)))


def cut_out(pictures: torch.Tensor, cut: Cut, edge: int) -> torch.Tensor:
    """The same square of every picture, uint8 [n, 3, height, width] -> float from 0 to 1 [n, 3, edge, edge]."""
    height, width = pictures.shape[-2:]
    side = round(cut.edge * min(height, width))
    top, left = round(cut.top * (height - side)), round(cut.left * (width - side))
    square = pictures[..., top : top + side, left : left + side].float() / 255
    if side == edge:
        return square
    return functional.interpolate(square, (edge, edge), mode="bilinear", antialias=True, align_corners=False)


def altered(
    pictures: torch.Tensor, look: Look, jitter: Jitter, chance: random.Random, whole: float = 0
) -> torch.Tensor:
    """One object's pictures, all alike: cut anywhere, mirrored with a chance of one half, in another light."""
    if chance.random() < whole:
        cut = Cut(1.0, chance.random(), chance.random())
    else:
        cut = Cut(chance.uniform(NEAREST, 1.0), chance.random(), chance.random())
    cuts = cut_out(pictures, cut, look.edge)
    if chance.random() < 0.5:
        cuts = cuts.flip(-1)
    return relit(cuts, jitter, chance)


def relit(pictures: torch.Tensor, jitter: Jitter, chance: random.Random) -> torch.Tensor:
    """Brightness, contrast, saturation and hue turned, each by its own draw, in this order."""
    for turn, most in (
        (light.adjust_brightness, jitter.brightness),
        (light.adjust_contrast, jitter.contrast),
        (light.adjust_saturation, jitter.saturation),
    ):
        if most:
            pictures = turn(pictures, 1 + chance.uniform(-most, most))
    return light.adjust_hue(pictures, chance.uniform(-jitter.hue, jitter.hue)) if jitter.hue else pictures


def square_of(frames: Frames, *, with_box: bool) -> np.ndarray:
    """The square around the object on the middle frame [1, height, width, 3], as the release cuts it.

    Where no frame is marked, because a condition shows another one, it is the middle one of those shown, as a whole.
    """
    mark = frames.mark
    if mark is None:
        return np.asarray(frames.pixels[len(frames) // 2])[None]
    picture = frames.pixels[mark.place] if with_box else mark.plain
    left, top, right, bottom = square_around(mark.box, (picture.shape[1], picture.shape[0]))
    return np.asarray(picture[top:bottom, left:right])[None]


def film_of(frames: Frames, count: int) -> np.ndarray:
    """So many frames [count, height, width, 3], evenly out of those shown, in the order shown, none with a box."""
    pixels = np.array(frames.pixels)
    if mark := frames.mark:
        pixels[mark.place] = mark.plain
        if mark.is_extra:
            pixels = np.delete(pixels, mark.place, axis=0)
    places = np.linspace(0, len(pixels) - 1, count).round().astype(int)
    return pixels[places]
