"""Every benchmark, in the order in which the pages show them."""

from benchmarks.definitions.craft import CRAFT
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.giraffe import GIRAFFE
from benchmarks.definitions.grasp import GRASP
from benchmarks.definitions.pacs import PACS
from benchmarks.definitions.tapped import TAPPED
from benchmarks.errors import UnknownBenchmark

__all__ = ["BENCHMARKS", "UnknownBenchmark", "find_benchmark", "tellers", "telling"]

BENCHMARKS: dict[str, Benchmark] = {benchmark.slug: benchmark for benchmark in (GRASP, CRAFT, PACS, TAPPED, GIRAFFE)}


def find_benchmark(slug: str) -> Benchmark:
    """The benchmark with this slug; UnknownBenchmark lists those that exist."""
    if slug not in BENCHMARKS:
        raise UnknownBenchmark(f"there is no benchmark {slug!r}; there is: {', '.join(BENCHMARKS)}")
    return BENCHMARKS[slug]


def telling(slug: str) -> frozenset[str]:
    """Names of the facets that reveal the true answers of this benchmark; they are neither shown nor searchable."""
    return BENCHMARKS[slug].telling if slug in BENCHMARKS else frozenset()


def tellers(facet: str) -> list[str]:
    """Slugs of the benchmarks in which this facet reveals the true answer."""
    return [slug for slug in BENCHMARKS if facet in telling(slug)]
