"""Finds rows by the names that people type; an error lists the existing names."""

from collections.abc import Iterable

from benchmarks.definitions.registry import find_benchmark
from benchmarks.models import Pack
from evaluation.errors import RunMisused
from evaluation.models import Model, Run


def find_model(slug: str) -> Model:
    return Model.objects.filter(slug=slug).first() or _missing("model", slug, _slugs(Model.objects.all(), "slug"))


def find_pack(benchmark: str, name: str | None = None) -> Pack:
    """The named pack; without a name, the newest pack on boards."""
    packs = Pack.objects.filter(benchmark=find_benchmark(benchmark).slug)
    if name is None:
        return packs.on_boards().order_by("-created_at").first() or _missing("pack", f"of {benchmark}", [])
    return packs.filter(name=name).first() or _missing("pack", name, _slugs(packs, "name"))


def find_run(pk: int) -> Run:
    return Run.objects.select_related("model", "pack").filter(pk=pk).first() or _missing(
        "run", str(pk), (str(last) for last in Run.objects.order_by("-pk").values_list("pk", flat=True)[:5])
    )


def _slugs(rows, field: str) -> list[str]:
    return list(rows.order_by(field).values_list(field, flat=True)[:40])


def _missing(what: str, name: str, existing: Iterable[str]):
    names = ", ".join(existing)
    raise RunMisused(f"there is no {what} {name}; there is: {names}" if names else f"there is no {what} {name} yet")
