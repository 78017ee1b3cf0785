"""Makes the kept clips into a pack, once; a study with the protocol `pacs-annotation` uses it."""

from pathlib import Path

from django.db import transaction
from django.template.defaultfilters import pluralize

from benchmarks.definitions.definition import ClipFile, Release
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BeingImported, BenchmarkError
from benchmarks.generation.progress import failures_recorded, is_silent, ordered, show_production, watched
from benchmarks.models import MATERIAL, Origin, Production, ProductionState
from benchmarks.packs.import_release import store_release
from benchmarks.storage.store import store
from extensions.annotation.material.review import clips_of
from extensions.annotation.material.uploads import stored_name
from extensions.annotation.models import Material, MaterialClip
from extensions.annotation.models.material import LAYOUT

FEWEST = 2


@transaction.atomic
def order_pack(material: Material) -> Production:
    """Order the pack; from now on the material can't be changed. Raises BenchmarkError if it can't be made now."""
    locked = Material.objects.select_for_update().get(pk=material.pk)
    if locked.pack_id:
        raise BenchmarkError(f"the pack of {material.slug} is made already")
    open_files = [file.name for file in locked.files.all() if file.is_open]
    if open_files:
        raise BenchmarkError(f"{open_files[0]} is not read yet: wait until every file is")
    accepted = sum(clip.is_kept for clip in clips_of(locked))
    if accepted < FEWEST:
        raise BenchmarkError(f"a pair needs {FEWEST} clips, and {accepted} {pluralize(accepted, 'is,are')} kept")
    standing = locked.production
    if standing and standing.is_open and not is_silent(standing):
        raise BenchmarkError("the pack is being made already")
    return ordered(LAYOUT, pack_name=locked.slug, order={"material": locked.slug}, clips=accepted)


def unmade() -> list[int]:
    """Ids of material productions that wait or whose worker was lost."""
    ordered_ones = Production.objects.filter(order__material__isnull=False)
    waiting = [one.pk for one in ordered_ones.filter(state=ProductionState.WAITING)]
    return waiting + [one.pk for one in ordered_ones.filter(state=ProductionState.IMPORTING) if is_silent(one)]


def make_pack(production_id: int) -> None:
    """Store the kept clips as a pack. Two simultaneous calls are safe: one finds the pack already made."""
    production = Production.objects.get(pk=production_id)
    if not production.is_open:
        return
    material = Material.objects.get(slug=production.order["material"])
    show_production(production, state=ProductionState.IMPORTING)
    with failures_recorded(production, comes_again=True):
        accepted = [clip for clip in clips_of(material) if clip.is_kept]
        try:
            report = store_release(
                find_benchmark(LAYOUT), _release(accepted), pack_name=material.slug, progress=watched(production)
            )
        except BeingImported:
            return
        report.pack.title = f"{material.title}: material for annotation"[:120]
        report.pack.save(update_fields=["title"])
        Material.objects.filter(pk=material.pk).update(pack=report.pack)
    show_production(production, state=ProductionState.DONE, note=f"{report.clips} clips")


def _release(accepted: list[MaterialClip]) -> Release:
    files = [
        ClipFile(key=f"clip{place:05}", path=_stored(clip), facts=_facts(clip)) for place, clip in enumerate(accepted)
    ]
    root = files[0].path.parent
    return Release(clips=tuple(files), rows=(), origin=Origin.GENERATED, profile=MATERIAL, root=root)


def _stored(clip: MaterialClip) -> Path:
    return store().local(stored_name(clip.file, f"{clip.number}.mp4"))


def _facts(clip: MaterialClip) -> dict[str, object]:
    """Source file of the clip, and its [start, end, middle] frames there, from 0, at the file's own rate."""
    fps = clip.file.fps or 1.0
    start, end = round(clip.start * fps), round(clip.end * fps)
    return {
        "source": clip.file.name,
        "source_fps": fps,
        "source_frames": [start, end, (start + end) // 2],
        "heard": clip.heard,
    }
