"""Imports that staff order in the admin site and a worker carries out; the production's row shows the progress.

Only unpacked releases in folders of `RELEASES_DIR` can be imported, so nobody can make the site read other paths.
"""

from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import transaction

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BadRelease, ContentRefused
from benchmarks.generation.progress import failures_recorded, is_silent, ordered, show_production, watched
from benchmarks.models import Production, ProductionState
from benchmarks.packs.import_release import ImportReport, import_release


def folders() -> list[str]:
    """Sorted names of the folders of `RELEASES_DIR`; an empty list if it does not exist."""
    root = Path(settings.RELEASES_DIR)
    if not root.is_dir():
        return []
    return sorted(path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))


@transaction.atomic
def order_import(benchmark: Benchmark, *, folder: str, pack_name: str, split: str = "") -> Production:
    """Store the order of an import, replacing an earlier production of this pack.

    Raises BadRelease if there is no such folder, ContentRefused while the pack is being made or imported. A production
    without recent updates may be ordered again, since otherwise it would never end.
    """
    if folder not in folders():
        raise BadRelease(f"{folder}: no such folder of {settings.RELEASES_DIR}")
    standing = Production.objects.select_for_update().filter(benchmark=benchmark.slug, pack_name=pack_name).first()
    if standing and standing.is_open and not is_silent(standing):
        raise ContentRefused(f"pack {pack_name} is being made or imported: wait, or choose another name")
    return ordered(benchmark.slug, pack_name=pack_name, order={"folder": folder, "split": split})


def carry_out(production_id: int) -> None:
    """Import the ordered release, completely or not at all; the row holds the result. Can run twice.

    Does nothing if the production has ended or was replaced by an order to make clips.
    """
    production = Production.objects.filter(pk=production_id).first()
    if production is None or not production.is_open or "folder" not in production.order:
        return
    order = production.order
    show_production(production, state=ProductionState.IMPORTING)
    # Errors of the release go to the row, for staff; other errors go to the log, too.
    with suppress(ValueError, OSError), failures_recorded(production, comes_again=True):
        report = import_release(
            find_benchmark(production.benchmark),
            Path(settings.RELEASES_DIR) / order["folder"],
            pack_name=production.pack_name,
            split=order["split"] or None,
            progress=watched(production),
        )
        show_production(production, state=ProductionState.DONE, note=_report_note(report))


def _report_note(report: ImportReport) -> str:
    stood = "" if report.is_new else "; it stood already"
    problems = f"; {len(report.problems)} problems, named on the pack's page" if report.problems else ""
    gaps = f"; not a whole release: {len(report.gaps)} gaps, first in {report.gaps[0][0]}" if report.gaps else ""
    return f"{report.clips} clips, {report.items} items{gaps}{problems}{stood}"
