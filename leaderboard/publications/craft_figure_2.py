"""CRAFT's Figure 2: all scenes on one sheet, each in the middle and at the ends of its ranges."""

import base64
import io
from pathlib import Path

from django.contrib.staticfiles import finders
from PIL import Image

from benchmarks.definitions.definition import Benchmark
from leaderboard.charts.drawing import Drawing, Label, Picture

ACROSS, EDGE, GAP, HEAD = 5, 256, 16, 22  # in the drawing's units


def sheet_of(benchmark: Benchmark) -> Drawing:
    """A sheet of the definition's scenes that have a picture, in its order."""
    found = [
        (value.title, finders.find(f"sheets/{benchmark.slug}/{value.value}.webp"))
        for value in benchmark.facet("scene").values
    ]
    known = [(title, Path(path)) for title, path in found if isinstance(path, str)]
    places = [
        (GAP + place % ACROSS * (EDGE + GAP), HEAD + place // ACROSS * (EDGE + GAP + HEAD))
        for place in range(len(known))
    ]
    return Drawing(
        title=f"{benchmark.title}: its scenes",
        about=f"{', '.join(title for title, _ in known)}.",
        width=GAP + ACROSS * (EDGE + GAP),
        height=max((y + EDGE + GAP for _, y in places), default=GAP),
        labels=tuple(Label(x, y - 7, title, look="") for (title, _), (x, y) in zip(known, places, strict=True)),
        pictures=tuple(Picture(x, y, EDGE, _packed(path)) for (_, path), (x, y) in zip(known, places, strict=True)),
    )


def _packed(path: Path) -> str:
    """The picture as a data URL, so that the file needs no other."""
    packed = io.BytesIO()
    Image.open(path).save(packed, "PNG")
    return "data:image/png;base64," + base64.b64encode(packed.getvalue()).decode()
