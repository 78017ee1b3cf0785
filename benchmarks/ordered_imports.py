"""An import that staff order in the administration, carried out by a worker; the production's row shows how far.

Releases lie in folders below `RELEASES_DIR`, unpacked: nobody can have the site read any other place of the machine.
"""

import time
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import transaction

from benchmarks.definition import Benchmark
from benchmarks.errors import BadRelease, ContentRefused
from benchmarks.generating import show_production
from benchmarks.items import ImportReport, import_release
from benchmarks.models import Production, ProductionState
from benchmarks.registry import find_benchmark

SHOW_EVERY = 0.5  # seconds between two updates of the row


def folders() -> list[str]:
    """Names of what can be imported: the folders of `RELEASES_DIR`, in order; none where it does not exist."""
    root = Path(settings.RELEASES_DIR)
    if not root.is_dir():
        return []
    return sorted(path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))


@transaction.atomic
def order_import(benchmark: Benchmark, *, folder: str, pack_name: str, split: str = "") -> Production:
    """Write down what is to be imported, in place of what this pack's production was before.

    Raises BadRelease where there is no such folder, ContentRefused while the pack is being made or imported.
    """
    if folder not in folders():
        raise BadRelease(f"{folder}: no such folder of {settings.RELEASES_DIR}")
    standing = Production.objects.select_for_update().filter(benchmark=benchmark.slug, pack_name=pack_name).first()
    if standing and standing.is_open:
        raise ContentRefused(f"pack {pack_name} is being made or imported: wait, or choose another name")
    order = {"folder": folder, "split": split}
    values = {"order": order, "state": ProductionState.WAITING, "note": "", "clips_done": 0, "clips_total": 0}
    production, _ = Production.objects.update_or_create(benchmark=benchmark.slug, pack_name=pack_name, defaults=values)
    production.batches.all().delete()
    return production


def carry_out(production_id: int) -> None:
    """Import what was ordered: files and rows together, or nothing; the row says how it went. Can run twice."""
    production = Production.objects.filter(pk=production_id).first()
    if production is None or not production.is_open:
        return
    order = production.order
    show_production(production, state=ProductionState.IMPORTING)
    try:
        report = import_release(
            find_benchmark(production.benchmark),
            Path(settings.RELEASES_DIR) / order["folder"],
            pack_name=production.pack_name,
            split=order["split"] or None,
            progress=_shown_by(production),
        )
    except Exception as error:
        show_production(production, state=ProductionState.FAILED, note=str(error)[:200])
        if not isinstance(error, ValueError | OSError):
            raise
    else:
        show_production(production, state=ProductionState.DONE, note=_told(report))


def _told(report: ImportReport) -> str:
    stood = "" if report.is_new else "; it stood already"
    problems = f"; {len(report.problems)} problems, named on the pack's page" if report.problems else ""
    return f"{report.clips} clips, {report.items} items{problems}{stood}"


def _shown_by(production: Production) -> Callable[[int, int], None]:
    last = 0.0

    def show(done: int, total: int) -> None:
        nonlocal last
        if done == total or time.monotonic() - last > SHOW_EVERY:
            last = time.monotonic()
            show_production(production, clips_done=done, clips_total=total)

    return show
