"""Draws the rings of a statistic to a file, by skia."""

import math
from functools import cache
from pathlib import Path

import skia

from scenes.craft.questions.statistics import Arc

EDGE, HEAD = 900, 60  # pixels: of the picture, and of the title above it
HOLE, RING = 70.0, 125.0  # pixels: radius of the hole, width of a ring
LEAST_LABELLED = 12.0  # pixels along a piece's middle: a smaller one has no room for a label
INK, PAPER = skia.Color4f(0.11, 0.11, 0.13, 1), skia.Color4f(1, 1, 1, 1)


def write_picture(arcs: list[Arc], title: str, path: Path) -> None:
    """Write a PNG or a PDF, by the path's suffix."""
    if path.suffix == ".png":
        surface = skia.Surface(EDGE, EDGE + HEAD)
        _draw(surface.getCanvas(), arcs, title)
        surface.makeImageSnapshot().save(str(path), skia.kPNG)
        return
    stream = skia.DynamicMemoryWStream()
    with skia.PDF.MakeDocument(stream) as document, document.page(EDGE, EDGE + HEAD) as canvas:
        _draw(canvas, arcs, title)
    path.write_bytes(bytes(stream.detachAsData()))


def _draw(canvas: skia.Canvas, arcs: list[Arc], title: str) -> None:
    canvas.clear(PAPER)
    _write(canvas, title, EDGE / 2, HEAD / 2, 22)
    canvas.translate(EDGE / 2, HEAD + EDGE / 2)
    for arc in arcs:
        inner = HOLE + arc.ring * RING
        piece = _piece(arc, inner, inner + RING)
        canvas.drawPath(piece, skia.Paint(Color=_colour(arc.colour), AntiAlias=True))
        edge = skia.Paint(Color4f=PAPER, AntiAlias=True, Style=skia.Paint.kStroke_Style, StrokeWidth=1.5)
        canvas.drawPath(piece, edge)
        middle = inner + RING / 2
        if (arc.end - arc.start) * 2 * math.pi * middle > LEAST_LABELLED:
            _label(canvas, arc, middle)


def _piece(arc: Arc, inner: float, outer: float) -> skia.Path:
    """The outline of a piece; a whole turn is cut slightly short, since an arc that ends at its start is empty."""
    start, sweep = 360 * arc.start - 90, min(359.99, 360 * (arc.end - arc.start))
    builder = skia.Path()
    builder.arcTo(_square(outer), start, sweep, True)
    builder.arcTo(_square(inner), start + sweep, -sweep, False)
    builder.close()
    return builder


def _square(radius: float) -> skia.Rect:
    return skia.Rect.MakeLTRB(-radius, -radius, radius, radius)


def _label(canvas: skia.Canvas, arc: Arc, radius: float) -> None:
    """Write the label outwards, never upside down."""
    turn = 360 * (arc.start + arc.end) / 2 - 90
    canvas.save()
    canvas.rotate(turn)
    canvas.translate(radius, 0)
    if 90 < turn % 360 < 270:
        canvas.rotate(180)
    _write(canvas, arc.text, 0, 0, 12)
    canvas.restore()


def _write(canvas: skia.Canvas, text: str, x: float, y: float, size: float) -> None:
    font = skia.Font(_typeface(), size)
    canvas.drawString(text, x - font.measureText(text) / 2, y + size / 3, font, skia.Paint(Color4f=INK, AntiAlias=True))


@cache
def _typeface() -> skia.Typeface:
    """The machine's default sans-serif typeface."""
    return skia.FontMgr().matchFamilyStyle("sans-serif", skia.FontStyle()) or skia.Typeface.MakeEmpty()


def _colour(name: str) -> int:
    return int(skia.Color(*(int(name[at : at + 2], 16) for at in (1, 3, 5))))
