"""Finds a pack of a benchmark by name, or the only one if none is named."""

from benchmarks.errors import BenchmarkError
from benchmarks.models import Pack


def find_pack(benchmark: str, name: str | None) -> Pack:
    """The pack with this name, or without a name the only pack; BenchmarkError lists the existing ones."""
    packs = list(Pack.objects.filter(benchmark=benchmark))
    chosen = [pack for pack in packs if name in (None, pack.name)]
    if len(chosen) == 1:
        return chosen[0]
    names = ", ".join(pack.name for pack in packs) or "none yet"
    what = f"there is no pack {name!r}" if name else "say which pack"
    raise BenchmarkError(f"{what}; packs of {benchmark}: {names}")
