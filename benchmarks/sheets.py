"""The contact sheets of a benchmark's tests, or the pictures of its scenes, as its page shows them."""

from dataclasses import dataclass
from functools import cache

from django.contrib.staticfiles import finders
from PIL import Image

from benchmarks.definition import Benchmark
from benchmarks.gallery import titled
from benchmarks.models import Origin, Pack
from benchmarks.registry import find_benchmark


@dataclass(frozen=True)
class Picture:
    path: str  # below static/
    width: int
    height: int


@dataclass(frozen=True)
class Sheet:
    title: str
    wide: Picture
    narrow: Picture | None  # for telephones


def sheets_of(benchmark: Benchmark, pack: Pack | None) -> tuple[Sheet, ...]:
    """In their order; moments of clips only for a pack that was made here: official clips look different."""
    is_true_of_all = bool(benchmark.sheets_about)
    return _sheets(benchmark.slug) if is_true_of_all or (pack and pack.origin == Origin.GENERATED) else ()


@cache
def _sheets(slug: str) -> tuple[Sheet, ...]:
    found = []
    benchmark = find_benchmark(slug)
    for test in benchmark.facet(benchmark.sheets_by).values:
        if wide := _picture(f"sheets/{slug}/{test.value}.webp"):
            found.append(Sheet(titled(test), wide, _picture(f"sheets/{slug}/{test.value}-narrow.webp")))
    return tuple(found)


def _picture(path: str) -> Picture | None:
    place = finders.find(path)
    if not place:
        return None
    with Image.open(place) as picture:
        return Picture(path, *picture.size)
