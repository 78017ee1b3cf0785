"""Every benchmark, in the order in which the pages show them."""

from benchmarks.definition import Benchmark
from benchmarks.definitions.craft import CRAFT
from benchmarks.definitions.giraffe import GIRAFFE
from benchmarks.definitions.grasp import GRASP
from benchmarks.definitions.pacs import PACS
from benchmarks.definitions.tapped import TAPPED
from benchmarks.errors import UnknownBenchmark

__all__ = ["BENCHMARKS", "UnknownBenchmark", "find_benchmark"]

BENCHMARKS: dict[str, Benchmark] = {benchmark.slug: benchmark for benchmark in (GRASP, CRAFT, PACS, TAPPED, GIRAFFE)}


def find_benchmark(slug: str) -> Benchmark:
    """The benchmark of this name; else the error names those that exist."""
    if slug not in BENCHMARKS:
        raise UnknownBenchmark(f"there is no benchmark {slug!r}; there is: {', '.join(BENCHMARKS)}")
    return BENCHMARKS[slug]
