"""Processes an uploaded file: a sandboxed child cuts it and analyses its sound, and rules decide which clips to keep.

The database row holds the state: a worker claims the file there and reports its progress. After the loss of its worker
a file is claimed again, at most `ATTEMPTS` times in total.
"""

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from benchmarks.encoding.analysis.clip_selection import Span, distance_of, picked
from benchmarks.encoding.analysis.duplicates import overlap
from benchmarks.encoding.analysis.sound_filter import SoundShares
from benchmarks.material.uploads import SOURCE, remove_stored, stored_name
from benchmarks.models import FileState, MaterialClip, MaterialFile
from benchmarks.models.material import SILENT_AFTER
from benchmarks.storage.store import staging, store

MEGABYTES = 8000  # address space; torch reserves several times what it uses
PATIENCE = 600.0  # seconds without output before the process is killed; a busy machine takes minutes to start
ATTEMPTS = 2
LOST = "reading it took too long, or too much memory, or broke the decoder"
LIMITS = {"talking": "at most 20 %", "silence": "at most 20 %", "music": "at most 20 %", "other": "at least 70 %"}
WORDS = {"talking": "talking", "silence": "silence", "music": "music", "other": "none of the three"}
Progress = Callable[[MaterialFile], None]


class FileLost(RuntimeError):
    """The child process ended without a result."""


def unread() -> list[int]:
    """Ids of files to queue: waiting ones, and those whose worker was lost."""
    is_lost = Q(state=FileState.READING, updated_at__lt=timezone.now() - SILENT_AFTER)
    return list(MaterialFile.objects.filter(Q(state=FileState.WAITING) | is_lost).values_list("pk", flat=True))


def read_file(file_id: int, progress: Progress | None = None) -> MaterialFile | None:
    """Read one file and store its clips, or the problem in its row; None if another worker has the file."""
    file = _take(file_id)
    if file is None:
        return None
    with staging() as folder:
        try:
            found = _read_by_child(file, folder.resolve(), progress)
        except FileLost as error:
            _refuse(file, str(error)) if file.attempts >= ATTEMPTS else _show(file, state=FileState.WAITING)
            return file
        if "problem" in found:
            _refuse(file, found["problem"])
        else:
            store().put({path: stored_name(file, path.name) for path in folder.iterdir()})
            _store(file, found["found"])
    return file


def _take(file_id: int) -> MaterialFile | None:
    free = Q(state=FileState.WAITING) | Q(state=FileState.READING, updated_at__lt=timezone.now() - SILENT_AFTER)
    taken = MaterialFile.objects.filter(free, pk=file_id).update(
        state=FileState.READING, attempts=F("attempts") + 1, updated_at=timezone.now(), doing="opening", done=0, total=0
    )
    return MaterialFile.objects.select_related("material").get(pk=file_id) if taken else None


def _show(file: MaterialFile, **values: Any) -> None:
    for name, value in values.items():
        setattr(file, name, value)
    MaterialFile.objects.filter(pk=file.pk).update(updated_at=timezone.now(), **values)


def _refuse(file: MaterialFile, problem: str) -> None:
    _show(file, state=FileState.REFUSED, problem=f"{file.name}: {problem}"[:300], doing="")
    remove_stored(file)


def _read_by_child(file: MaterialFile, folder: Path, progress: Progress | None) -> dict[str, Any]:
    """The child's result; its clips are in `folder`."""
    source = store().local(stored_name(file, SOURCE)).resolve()
    seed = file.material.seed * 1_000_003 + int(file.sha256[:8], 16)
    order = {"source": str(source), "folder": str(folder), "seed": seed, "shortest": file.material.shortest}
    for report in _child_reports(json.dumps(order)):
        if "doing" not in report:
            return report
        _show(file, doing=report["doing"], done=report["done"], total=report["total"])
        if progress:
            progress(file)
    raise FileLost(LOST)


def _child_reports(line: str) -> Iterator[dict[str, Any]]:
    from benchmarks.encoding.sandbox import started

    process = started("benchmarks.encoding.analysis.child", MEGABYTES)
    assert process.stdin is not None
    assert process.stdout is not None
    watchdog = threading.Timer(PATIENCE, process.kill)
    watchdog.start()
    try:
        process.stdin.write(line + "\n")
        process.stdin.close()
        for output in process.stdout:
            watchdog.cancel()
            watchdog = threading.Timer(PATIENCE, process.kill)
            watchdog.start()
            yield json.loads(output)
    except BrokenPipeError:
        return
    finally:
        watchdog.cancel()
        process.kill()
        process.wait()
        process.stdout.close()


@transaction.atomic
def _store(file: MaterialFile, found: dict[str, Any]) -> None:
    """Store the clips with the rules' reasons, and remove the source file.

    Stores nothing if another worker has claimed the file meanwhile, or if it was removed.
    """
    own = MaterialFile.objects.select_for_update().filter(pk=file.pk, state=FileState.READING, attempts=file.attempts)
    if not own.exists():
        return
    clips = [
        MaterialClip(file=file, number=number, reasons=_sound_reasons(SoundShares(**one["heard"])), **one)
        for number, one in enumerate(found["clips"])
    ]
    if not found["is_clip"]:
        _pick(file, clips, found["seconds"])
    _refuse_overlaps(file, [clip for clip in clips if not clip.reasons])
    MaterialClip.objects.filter(file=file).delete()
    MaterialClip.objects.bulk_create(clips)
    facts = {name: found[name] for name in ("seconds", "fps", "frames")}
    _show(file, state=FileState.READ, doing="", **facts)
    transaction.on_commit(lambda: store().remove([stored_name(file, SOURCE)]))


def _sound_reasons(shares: SoundShares) -> list[list[str]]:
    return [[name, f"{WORDS[name]}: {_percent(getattr(shares, name))} ({LIMITS[name]})"] for name in shares.reasons()]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} % of its time"


def _pick(file: MaterialFile, clips: list[MaterialClip], seconds: float) -> None:
    """Draw some of the suitable clips; record for the others why they were left out."""
    spans = {clip.number: Span(clip.start, clip.end, clip.shot) for clip in clips if not clip.reasons}
    rng = np.random.default_rng([file.material.seed, int(file.sha256[:8], 16)])
    taken = picked(list(spans.values()), seconds, rng)
    for clip in clips:
        if clip.number in spans and spans[clip.number] not in taken:
            clip.reasons = [_left_out(spans[clip.number], taken, seconds)]


def _left_out(span: Span, taken: list[Span], seconds: float) -> list[str]:
    same = next((other for other in taken if other.shot == span.shot), None)
    if same:
        return ["shot", f"another clip of its shot was drawn, at {same.start:.1f} s"]
    return ["near", f"within {distance_of(seconds) / 60:.0f} minutes of a clip that was drawn"]


def _refuse_overlaps(file: MaterialFile, fit: list[MaterialClip]) -> None:
    """Keep only the first of several clips that share a stretch of sound."""
    others = MaterialClip.objects.filter(file__material=file.material).exclude(file=file).select_related("file")
    sounds = {other: _coarse(other) for other in others.order_by("pk") if fit and not other.reasons}
    for clip in fit:
        own = _coarse(clip)
        for other, sound in sounds.items():
            if shared := overlap(own, sound):
                clip.reasons = [["overlap", f"{shared:.1f} s of it are in {other}, too"]]
                break


def _coarse(clip: MaterialClip) -> Any:
    return np.load(store().local(stored_name(clip.file, f"{clip.number}.npy")), allow_pickle=False)
