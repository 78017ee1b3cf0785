"""The contact sheets of a benchmark's tests or scenes, for its page."""

from dataclasses import dataclass
from functools import cache

from django.contrib.staticfiles import finders
from PIL import Image

from benchmarks.definitions.definition import Benchmark, FacetValue
from benchmarks.definitions.registry import find_benchmark
from benchmarks.models import Origin, Pack


@dataclass(frozen=True)
class SheetPicture:
    path: str  # below static/
    width: int
    height: int


@dataclass(frozen=True)
class ContactSheet:
    test: FacetValue
    wide: SheetPicture
    narrow: SheetPicture | None  # for phones


def sheets_of(benchmark: Benchmark, pack: Pack | None) -> tuple[ContactSheet, ...]:
    """Contact sheets in order; sheets of clips only for generated packs, since official clips look different."""
    is_true_of_all = bool(benchmark.sheets_about)
    return _sheets(benchmark.slug) if is_true_of_all or (pack and pack.origin == Origin.GENERATED) else ()


@cache
def _sheets(slug: str) -> tuple[ContactSheet, ...]:
    found = []
    benchmark = find_benchmark(slug)
    for test in benchmark.facet(benchmark.sheets_by).values:
        if wide := _picture(f"sheets/{slug}/{test.value}.webp"):
            found.append(ContactSheet(test, wide, _picture(f"sheets/{slug}/{test.value}-narrow.webp")))
    return tuple(found)


def _picture(path: str) -> SheetPicture | None:
    place = finders.find(path)
    if not place:
        return None
    with Image.open(place) as picture:
        return SheetPicture(path, *picture.size)
