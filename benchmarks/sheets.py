"""The contact sheets of a benchmark's tests, as its page shows them."""

from dataclasses import dataclass
from functools import cache

from django.contrib.staticfiles import finders
from PIL import Image

from benchmarks.definition import Benchmark
from benchmarks.gallery import titled
from benchmarks.models import Origin, Pack
from benchmarks.registry import find_benchmark


@dataclass(frozen=True)
class Sheet:
    path: str  # below static/
    title: str
    width: int
    height: int


def sheets_of(benchmark: Benchmark, pack: Pack | None) -> tuple[Sheet, ...]:
    """Sheets of the tests in their order, for a pack that was made here; official clips look different."""
    return _sheets(benchmark.slug) if pack and pack.origin == Origin.GENERATED else ()


@cache
def _sheets(slug: str) -> tuple[Sheet, ...]:
    found = []
    tests = (value for facet in find_benchmark(slug).facets if facet.name == "test" for value in facet.values)
    for test in tests:
        path = f"sheets/{slug}/{test.value}.webp"
        if place := finders.find(path):
            with Image.open(place) as picture:
                found.append(Sheet(path, titled(test), *picture.size))
    return tuple(found)
