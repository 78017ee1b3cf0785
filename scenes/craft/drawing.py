"""Poses -> pictures, by skia: flat colours on white, the newest thing on top, a face on every movable thing."""

import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import skia
from numpy.typing import NDArray

from scenes.craft.world.catalogue import BLACK, COLOURS, LEFT, RIGHT, SENSOR, TOP, Outline
from scenes.craft.world.run import Thing
from scenes.scene import Colour

Pixels = NDArray[np.uint8]

WHITE = skia.Color4f(1, 1, 1, 1)
SENSOR_FILL: Colour = (0.9, 0.9, 0.9)
BASKET_WALL = 0.1  # metres across
EYE, PUPIL, RIM = 0.469, 0.22, 0.06  # metres: an eye's radius and offset, a pupil's radius, a rim's width
EYE_FILL: Colour = (247 / 255,) * 3
FADED = 0.18  # opacity of the alternative positions overlaid on a picture


class Easel:
    """A square picture of the visible window; `edge` is in pixels."""

    def __init__(self, edge: int) -> None:
        self.pixels: Pixels = np.zeros((edge, edge, 4), np.uint8)
        self.surface = skia.Surface(self.pixels, colorType=skia.ColorType.kRGBA_8888_ColorType)
        self.canvas = self.surface.getCanvas()
        self.canvas.clear(WHITE)
        scale = edge / (RIGHT - LEFT)
        self.canvas.translate(-LEFT * scale, TOP * scale)
        self.canvas.scale(scale, -scale)

    def draw(self, thing: Thing, position: Sequence[float], angle: float, opacity: float = 1.0) -> None:
        """Draw the thing in this pose over everything drawn before."""
        self.canvas.save()
        self.canvas.translate(float(position[0]), float(position[1]))
        self.canvas.rotate(math.degrees(angle))
        if thing.shape == "basket":
            self.canvas.drawPath(_path(thing.outline), _line(BASKET_WALL, (0.0, 0.0, 0.0), opacity))
            self.canvas.drawPath(_path(SENSOR), _fill(SENSOR_FILL, opacity))
        else:
            path = _path(thing.outline)
            self.canvas.drawPath(
                path, _fill((0.0, 0.0, 0.0) if thing.colour == BLACK else COLOURS[thing.colour], opacity)
            )
            if thing.is_dynamic:
                self.canvas.clipPath(path, doAntiAlias=True)
                self._face()
        self.canvas.restore()

    def _face(self) -> None:
        """Two eyes, below the middle in the thing's own frame because everything starts rotated by half a turn."""
        for x in (-EYE, EYE):
            self.canvas.drawCircle(x, -EYE, EYE, _fill(EYE_FILL, 1.0))
            self.canvas.drawCircle(x, -EYE, EYE - RIM / 2, _line(RIM, (0.0, 0.0, 0.0), 1.0))
            self.canvas.drawCircle(x, -EYE, PUPIL, _fill((0.0, 0.0, 0.0), 1.0))


def pictures(things: Sequence[Thing], poses: NDArray[np.float64], edge: int) -> Iterator[tuple[Pixels, bool]]:
    """Yield a picture for each row of poses, and whether it differs from the one before; the array is reused.

    Fixed things are drawn once: they are older than all movable ones, so they lie below.
    """
    easel = Easel(edge)
    for thing in things:
        if not thing.is_dynamic:
            easel.draw(thing, thing.position, thing.angle)
    still = easel.pixels.copy()
    free = [thing for thing in things if thing.is_dynamic]
    before: NDArray[np.float64] | None = None
    for now in poses:
        is_new = before is None or not np.array_equal(now, before)
        if is_new:
            easel.pixels[:] = still
            easel.surface.notifyContentWillChange(skia.Surface.kRetain_ContentChangeMode)
            for thing, (x, y, angle) in zip(free, now, strict=True):
                easel.draw(thing, (x, y), angle)
            easel.surface.flushAndSubmit()
        before = now
        yield easel.pixels, is_new


def overlaid(opaque: Sequence[Thing], faded: Sequence[Sequence[Thing]], edge: int) -> Pixels:
    """One picture of these things overlaid with others: a scene between its extremes, as in Figure 2."""
    easel = Easel(edge)
    for things in faded:
        for thing in things:
            easel.draw(thing, thing.position, thing.angle, FADED)
    for thing in opaque:
        easel.draw(thing, thing.position, thing.angle)
    easel.surface.flushAndSubmit()
    return easel.pixels.copy()


@cache
def _path(outline: Outline) -> skia.Path:
    if outline.radius:
        return skia.Path.Circle(0, 0, outline.radius)
    points = [skia.Point(float(x), float(y)) for x, y in outline.points]
    return skia.Path.Polygon(points, isClosed=not outline.is_chain)


@cache
def _fill(colour: Colour, opacity: float) -> skia.Paint:
    return skia.Paint(Color4f=skia.Color4f(*colour, opacity), AntiAlias=True)


@cache
def _line(width: float, colour: Colour, opacity: float) -> skia.Paint:
    return skia.Paint(
        Color4f=skia.Color4f(*colour, opacity), AntiAlias=True, Style=skia.Paint.kStroke_Style, StrokeWidth=width
    )
