"""Picture elements -> pixels and PNG files, by skia: flat colours on white, drawn in the order of the elements."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import skia
from numpy.typing import NDArray

from scenes.giraffe.icons import COLOURS, GLYPHS, ICONS
from scenes.giraffe.puzzle import EDGE, Picture, PictureElement
from scenes.whole_files import whole

Pixels = NDArray[np.uint8]  # height, width, 4; RGBA
INK, LINE, SHADE = (27, 29, 33), (203, 207, 214), (96, 102, 114)
SEGMENTS = {
    "0": "abcdef",
    "1": "bc",
    "2": "abged",
    "3": "abgcd",
    "4": "fgbc",
    "5": "afgcd",
    "6": "afgedc",
    "7": "abc",
    "8": "abcdefg",
    "9": "abcdfg",
}
BARS = {  # of a seven-segment digit 50 wide and 90 high: left, top, width, height
    "a": (6, 0, 38, 9),
    "b": (41, 5, 9, 38),
    "c": (41, 47, 9, 38),
    "d": (6, 81, 38, 9),
    "e": (0, 47, 9, 38),
    "f": (0, 5, 9, 38),
    "g": (6, 40, 38, 9),
}


class PictureCanvas:
    """A square picture, `edge` pixels wide."""

    def __init__(self, edge: int) -> None:
        self.pixels: Pixels = np.zeros((edge, edge, 4), np.uint8)
        self.surface = skia.Surface(self.pixels, colorType=skia.ColorType.kRGBA_8888_ColorType)
        self.canvas = self.surface.getCanvas()
        self.canvas.clear(skia.ColorWHITE)
        self.canvas.scale(edge / EDGE, edge / EDGE)

    def draw(self, mark: PictureElement) -> None:
        self.canvas.save()
        self.canvas.translate(mark.x, mark.y)
        self.canvas.rotate(mark.turn)
        if mark.kind in PARTS:
            PARTS[mark.kind](self.canvas, mark)
        else:
            self.canvas.scale(mark.size / 100, mark.size / 100)
            self.canvas.translate(-50, -50)
            for path, paint in icon_of(mark.kind, mark.colour):
                self.canvas.drawPath(path, paint)
        self.canvas.restore()


def pixels_of(picture: Picture, edge: int) -> Pixels:
    """The picture, RGBA [edge, edge, 4]."""
    sheet = PictureCanvas(edge)
    for mark in picture:
        sheet.draw(mark)
    sheet.surface.flushAndSubmit()
    return sheet.pixels


def png_of(pixels: Pixels) -> bytes:
    """A PNG without metadata; the same pixels give the same bytes."""
    image = skia.Image.fromarray(pixels, colorType=skia.ColorType.kRGBA_8888_ColorType)
    return bytes(image.encodeToData())


def write_png(pixels: Pixels, path: Path) -> None:
    """Write a PNG file; it gets its name only when it is complete."""
    with whole(path) as temporary:
        temporary.write_bytes(png_of(pixels))


@cache
def icon_of(kind: str, colour: str) -> list[tuple[skia.Path, skia.Paint]]:
    """The areas of this icon in this colour."""
    return [(path_of(path), paint(toned(tone, colour))) for tone, path in ICONS[kind]]


def toned(tone: str, colour: str) -> tuple[int, int, int]:
    """RGB of a fixed colour, or of the element's own colour in this tone."""
    if tone == "ink":
        return INK
    if tone in COLOURS:
        return COLOURS[tone]
    aim, share = {"fill": (0, 0.0), "dark": (0, 0.28), "light": (255, 0.42)}[tone]
    red, green, blue = (round(one + (aim - one) * share) for one in COLOURS[colour])
    return red, green, blue


@cache
def paint(colour: tuple[int, int, int], width: float = 0.0) -> skia.Paint:
    """The paint of an area, or of a line `width` across with round ends."""
    found = skia.Paint(AntiAlias=True, Color=skia.Color(*colour))
    if width:
        found.setStyle(skia.Paint.kStroke_Style)
        found.setStrokeWidth(width)
        found.setStrokeCap(skia.Paint.kRound_Cap)
        found.setStrokeJoin(skia.Paint.kRound_Join)
    return found


@cache
def path_of(notation: str) -> skia.Path:
    """The path written in the notation of `icons`."""
    path, words = skia.Path(), notation.split()
    acts: dict[str, tuple[int, Callable[..., object]]] = {
        "M": (2, path.moveTo),
        "L": (2, path.lineTo),
        "Q": (4, path.quadTo),
        "C": (6, path.cubicTo),
        "Z": (0, path.close),
        "O": (3, path.addCircle),
        "E": (4, lambda x, y, right, down: path.addOval(skia.Rect(x - right, y - down, x + right, y + down))),
        "R": (5, lambda x, y, wide, high, bend: path.addRoundRect(skia.Rect.MakeXYWH(x, y, wide, high), bend, bend)),
    }
    place = 0
    while place < len(words):
        letter, rest = words[place][0], words[place][1:]
        arguments = ([rest] if rest else []) + words[place + 1 :]
        count, act = acts[letter]
        act(*map(float, arguments[:count]))
        place += 1 + count - bool(rest and count)
    return path


def _clock(canvas: skia.Canvas, mark: PictureElement) -> None:
    """A digital clock, as wide as the element's size, with hours and minutes in fixed places."""
    canvas.scale(mark.size / 300, mark.size / 300)
    canvas.drawPath(path_of("R -150 -75 300 150 22"), paint(INK))
    canvas.drawPath(path_of("R -139 -64 278 128 14"), paint((228, 235, 226)))
    lit = paint(toned("dark", mark.colour))
    for x, figure in zip((-122, -64, 16, 74), mark.text.replace(":", "").rjust(4), strict=True):
        for bar in SEGMENTS.get(figure, ""):
            left, top, width, height = BARS[bar]
            canvas.drawRoundRect(skia.Rect.MakeXYWH(x + left, top - 45, width, height), 4, 4, lit)
    for y in (-18, 18):
        canvas.drawCircle(1, y, 6, lit)


def _number(canvas: skia.Canvas, mark: PictureElement) -> None:
    """Digits in a row, each 0.6 of the element's size wide, or smaller so that the row fits."""
    size = min(mark.size, 88 / (0.74 * len(mark.text)))
    canvas.scale(size / 100, size / 100)
    canvas.translate(-37 * len(mark.text) + 7, -50)
    for figure in mark.text:
        canvas.drawPath(path_of(GLYPHS[figure]), paint(toned("fill", mark.colour), 12))
        canvas.translate(74, 0)


def _grid(canvas: skia.Canvas, mark: PictureElement) -> None:
    """A board of squares; its longer side is the element's size."""
    rows, columns = map(int, mark.text.split("x"))
    cell = mark.size / max(rows, columns)
    wide, high = columns * cell / 2, rows * cell / 2
    for column in range(columns + 1):
        canvas.drawLine(column * cell - wide, -high, column * cell - wide, high, paint(LINE, 0.5))
    for row in range(rows + 1):
        canvas.drawLine(-wide, row * cell - high, wide, row * cell - high, paint(LINE, 0.5))


def _dial(canvas: skia.Canvas, mark: PictureElement) -> None:
    """A ring with twelve marks, like a clock's face without hands."""
    canvas.drawCircle(0, 0, mark.size / 2, paint(LINE, 0.9))
    for hour in range(12):
        longer = 5 if hour % 3 == 0 else 3
        canvas.drawLine(0, -mark.size / 2 - longer, 0, -mark.size / 2, paint(SHADE if hour % 3 == 0 else LINE, 1.1))
        canvas.rotate(30)


def _shadow(canvas: skia.Canvas, mark: PictureElement) -> None:
    """A post's shadow seen from above: a strip from the element's place, pointing up before it is turned."""
    canvas.drawRoundRect(skia.Rect.MakeXYWH(-3.2, -mark.size, 6.4, mark.size), 2, 2, paint(SHADE))


def _pizza(canvas: skia.Canvas, mark: PictureElement) -> None:
    """A whole plate with the rest of a pizza, whose slices are taken away clockwise from the top."""
    left, slices = map(int, mark.text.split("/"))
    canvas.scale(mark.size / 100, mark.size / 100)
    canvas.drawCircle(0, 0, 50, paint((226, 229, 234)))
    angle = 360 / slices
    for slot in range(slices - left, slices):
        canvas.save()
        canvas.rotate(slot * angle)
        for radius, colour in ((46, (190, 122, 52)), (40, (246, 200, 84))):
            wedge = skia.Path()
            wedge.moveTo(0, 0)
            wedge.arcTo(skia.Rect(-radius, -radius, radius, radius), -90 + 1, angle - 2, False)
            wedge.close()
            canvas.drawPath(wedge, paint(colour))
        canvas.rotate(angle / 2)
        canvas.drawCircle(0, -28, 5, paint((196, 52, 40)))
        canvas.restore()


def _eye(canvas: skia.Canvas, mark: PictureElement) -> None:
    """The two eyes of a snake's head, looking up before they are turned."""
    for side in (-1, 1):
        canvas.drawCircle(side * mark.size * 0.22, -mark.size * 0.16, mark.size * 0.13, paint((255, 255, 255)))
        canvas.drawCircle(side * mark.size * 0.22, -mark.size * 0.2, mark.size * 0.06, paint(INK))


PARTS: dict[str, Callable[[skia.Canvas, PictureElement], None]] = {
    "clock": _clock,
    "number": _number,
    "grid": _grid,
    "dial": _dial,
    "shadow": _shadow,
    "pizza": _pizza,
    "eyes": _eye,
}
KINDS: Sequence[str] = (*ICONS, *PARTS)
