"""An import that staff order in the administration, carried out by a worker; the production's row shows how far.

Releases lie in folders below `RELEASES_DIR`, unpacked: nobody can have the site read any other place of the machine.
"""

from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import transaction

from benchmarks.definition import Benchmark
from benchmarks.errors import BadRelease, ContentRefused
from benchmarks.items import ImportReport, import_release
from benchmarks.models import Production, ProductionState
from benchmarks.productions import failures_shown, is_silent, ordered, show_production, watched
from benchmarks.registry import find_benchmark


def folders() -> list[str]:
    """Names of what can be imported: the folders of `RELEASES_DIR`, in order; none where it does not exist."""
    root = Path(settings.RELEASES_DIR)
    if not root.is_dir():
        return []
    return sorted(path.name for path in root.iterdir() if path.is_dir() and not path.name.startswith("."))


@transaction.atomic
def order_import(benchmark: Benchmark, *, folder: str, pack_name: str, split: str = "") -> Production:
    """Write down what is to be imported, in place of what this pack's production was before.

    Raises BadRelease where there is no such folder, ContentRefused while the pack is being made or imported: what has
    not been heard of for a while may be ordered again, since nothing else would ever end it.
    """
    if folder not in folders():
        raise BadRelease(f"{folder}: no such folder of {settings.RELEASES_DIR}")
    standing = Production.objects.select_for_update().filter(benchmark=benchmark.slug, pack_name=pack_name).first()
    if standing and standing.is_open and not is_silent(standing):
        raise ContentRefused(f"pack {pack_name} is being made or imported: wait, or choose another name")
    return ordered(benchmark.slug, pack_name=pack_name, order={"folder": folder, "split": split})


def carry_out(production_id: int) -> None:
    """Import what was ordered: files and rows together, or nothing; the row says how it went. Can run twice.

    What has ended, or was replaced by an order to make clips, is left alone.
    """
    production = Production.objects.filter(pk=production_id).first()
    if production is None or not production.is_open or "folder" not in production.order:
        return
    order = production.order
    show_production(production, state=ProductionState.IMPORTING)
    # What is wrong with the release is for staff, who read the row; anything else is for the log as well.
    with suppress(ValueError, OSError), failures_shown(production, comes_again=True):
        report = import_release(
            find_benchmark(production.benchmark),
            Path(settings.RELEASES_DIR) / order["folder"],
            pack_name=production.pack_name,
            split=order["split"] or None,
            progress=watched(production),
        )
        show_production(production, state=ProductionState.DONE, note=_told(report))


def _told(report: ImportReport) -> str:
    stood = "" if report.is_new else "; it stood already"
    problems = f"; {len(report.problems)} problems, named on the pack's page" if report.problems else ""
    return f"{report.clips} clips, {report.items} items{problems}{stood}"
