"""CRAFT's scenes between their extremes on one sheet, as in the paper's Figure 2; PNG and PDF by Pillow."""

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from PIL import Image, ImageDraw, ImageFont

from benchmarks.definition import Benchmark
from leaderboard.figure_files import INK

ACROSS, EDGE, GAP, HEAD, LETTERS = 5, 256, 16, 30, 18  # pixels


@dataclass(frozen=True)
class Picture:
    """One scene and where it stands on the sheet."""

    title: str
    path: Path
    x: int
    y: int

    @property
    def address(self) -> str:
        """The picture itself, for a file that stands alone."""
        packed = io.BytesIO()
        Image.open(self.path).save(packed, "PNG")
        return "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()


@dataclass(frozen=True)
class Sheet:
    """All of them, row by row."""

    title: str
    pictures: tuple[Picture, ...]
    width: int
    height: int


def sheet_of(benchmark: Benchmark) -> Sheet:
    """The scenes of the definition whose pictures are there, in its order."""
    found = [(value.title, finders.find(f"sheets/{benchmark.slug}/{value.value}.webp"))
             for value in benchmark.facet("scene").values]  # fmt: skip
    known = [(title, Path(path)) for title, path in found if isinstance(path, str)]
    pictures = tuple(
        Picture(title, path, GAP + place % ACROSS * (EDGE + GAP), GAP + HEAD + place // ACROSS * (EDGE + GAP + HEAD))
        for place, (title, path) in enumerate(known)
    )
    height = max((picture.y + EDGE + GAP for picture in pictures), default=GAP)
    return Sheet(f"{benchmark.title}: its scenes", pictures, GAP + ACROSS * (EDGE + GAP), height)


def as_svg(sheet: Sheet) -> bytes:
    return render_to_string("leaderboard/parts/scene_sheet.svg", {"sheet": sheet, "edge": EDGE}).encode()


def as_html(sheet: Sheet) -> bytes:
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{sheet.title}</title></head><body>\n'
    return head.encode() + as_svg(sheet) + b"</body></html>\n"


def drawn(sheet: Sheet) -> Image.Image:
    whole = Image.new("RGB", (sheet.width, sheet.height), "white")
    pen, font = ImageDraw.Draw(whole), ImageFont.load_default(LETTERS)
    for picture in sheet.pictures:
        pen.text((picture.x, picture.y - LETTERS - 6), picture.title, INK, font)
        whole.paste(Image.open(picture.path).convert("RGB").resize((EDGE, EDGE)), (picture.x, picture.y))
    return whole


def _saved(sheet: Sheet, wanted: str) -> bytes:
    file = io.BytesIO()
    drawn(sheet).save(file, wanted, resolution=150, title=sheet.title)
    return file.getvalue()


WRITERS: dict[str, Callable[[Sheet], bytes]] = {
    "svg": as_svg,
    "png": lambda sheet: _saved(sheet, "PNG"),
    "pdf": lambda sheet: _saved(sheet, "PDF"),
    "html": as_html,
}
