"""A backbone's picture input: the square around the box or the whole clip, augmented in training.

Appendix 0.B.1.1, 0.B.1.2, 0.B.3.3 and 0.B.4.3 of the paper, and PACS' own repository for the ranges.
"""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.encoding.boxes import square_around
from evaluation.adapters import torchvision_shim
from evaluation.adapters.base import Frames

torchvision_shim.declared()

from torchvision.transforms.v2 import functional as light  # noqa: E402

NEAREST = 0.85  # smallest edge of a crop, as a share of the shorter side
CLIP_CORNERS = 224 / 256  # edge of CLIP's corner crops at inference
WHOLE_SQUARES = 0.1  # probability in training that a picture for CLIP is not cropped further


@dataclass(frozen=True)
class Jitter:
    """Largest changes of brightness, contrast, saturation and hue, as in torchvision's ColorJitter."""

    brightness: float
    contrast: float
    saturation: float
    hue: float


FUSION_JITTER = Jitter(0.1, 0.1, 0.1, 0.05)
CLIP_JITTER = Jitter(0.15, 0.15, 0.15, 0.1)
NO_JITTER = Jitter(0, 0, 0, 0)


@dataclass(frozen=True)
class Look:
    """A backbone's own preprocessing: edge in pixels, mean and standard deviation of each colour."""

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
        """The shorter side, in pixels, of stored pictures; the smallest crop then exactly fills the edge."""
        return round(self.edge / NEAREST)

    def prepared(self, pixels: np.ndarray) -> torch.Tensor:
        """RGB [n, height, width, 3] of any size -> uint8 [n, 3, height, width], the shorter side `room` pixels long."""
        planes = torch.from_numpy(np.array(pixels)).permute(0, 3, 1, 2)
        return light.resize(planes, [self.room], antialias=True)

    def normal(self, pictures: torch.Tensor) -> torch.Tensor:
        """Normalise colours from 0 to 1 [..., 3, height, width] as in the backbone's training."""
        mean, spread = (torch.tensor(values).view(3, 1, 1) for values in (self.mean, self.spread))
        return (pictures - mean) / spread


@dataclass(frozen=True)
class Crop:
    """A square of a picture: its edge as a share of the shorter side, its corner as shares of the remainder."""

    edge: float
    left: float
    top: float


MIDDLE = Crop(1.0, 0.5, 0.5)
CORNERS = tuple(Crop(CLIP_CORNERS, left, top) for left, top in ((0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.5)))


def cut_out(pictures: torch.Tensor, cut: Crop, edge: int) -> torch.Tensor:
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
    """One object's pictures, all with the same random crop, mirroring (probability 0.5) and light."""
    if chance.random() < whole:
        cut = Crop(1.0, chance.random(), chance.random())
    else:
        cut = Crop(chance.uniform(NEAREST, 1.0), chance.random(), chance.random())
    cuts = cut_out(pictures, cut, look.edge)
    if chance.random() < 0.5:
        cuts = cuts.flip(-1)
    return relit(cuts, jitter, chance)


def relit(pictures: torch.Tensor, jitter: Jitter, chance: random.Random) -> torch.Tensor:
    """Brightness, contrast, saturation and hue changed at random, in this order."""
    for turn, most in (
        (light.adjust_brightness, jitter.brightness),
        (light.adjust_contrast, jitter.contrast),
        (light.adjust_saturation, jitter.saturation),
    ):
        if most:
            pictures = turn(pictures, 1 + chance.uniform(-most, most))
    return light.adjust_hue(pictures, chance.uniform(-jitter.hue, jitter.hue)) if jitter.hue else pictures


def square_of(frames: Frames, *, with_box: bool) -> np.ndarray:
    """The square around the object on the middle frame [1, height, width, 3], cropped as in the release.

    If no frame is marked because the condition shows other frames, the middle one of those shown is used completely.
    """
    mark = frames.mark
    if mark is None:
        return np.asarray(frames.pixels[len(frames) // 2])[None]
    picture = frames.pixels[mark.place] if with_box else mark.plain
    left, top, right, bottom = square_around(mark.box, (picture.shape[1], picture.shape[0]))
    return np.asarray(picture[top:bottom, left:right])[None]


def film_of(frames: Frames, count: int) -> np.ndarray:
    """`count` frames [count, height, width, 3], evenly spaced among those shown, in their order, without the box."""
    pixels = np.array(frames.pixels)
    if mark := frames.mark:
        pixels[mark.place] = mark.plain
        if mark.is_extra:
            pixels = np.delete(pixels, mark.place, axis=0)
    places = np.linspace(0, len(pixels) - 1, count).round().astype(int)
    return pixels[places]
