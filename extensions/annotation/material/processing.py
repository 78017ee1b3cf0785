"""Processes an uploaded file: a sandboxed child cuts it and analyses its sound, and rules decide which clips to keep.

The database row holds the state: a worker claims the file there and reports its progress. After the loss of its worker
a file is claimed again, at most `ATTEMPTS` times in total.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import F

from benchmarks import leasing
from benchmarks.storage.store import staging, store
from extensions.annotation.analysis.clip_selection import Span, distance_of, picked
from extensions.annotation.analysis.sound_filter import SoundShares, overlap
from extensions.annotation.material.uploads import SOURCE, remove_stored, stored_name
from extensions.annotation.models import FileState, MaterialClip, MaterialFile

MEGABYTES = 8000  # address space; torch reserves several times what it uses
PATIENCE = 600.0  # seconds without output before the process is killed; a busy machine takes minutes to start
LEASE = PATIENCE + 120  # seconds, renewed with each report of the process
ATTEMPTS = 2
LOST = "reading it took too long, or too much memory, or broke the decoder"
LIMITS = {"talking": "at most 20 %", "silence": "at most 20 %", "music": "at most 20 %", "other": "at least 70 %"}
WORDS = {"talking": "talking", "silence": "silence", "music": "music", "other": "none of the three"}
Progress = Callable[[MaterialFile], None]


class FileLost(RuntimeError):
    """The child process ended without a result."""


def unread() -> list[int]:
    """Ids of files to queue: waiting ones, and those whose worker was lost."""
    return list(MaterialFile.objects.filter(leasing.free(MaterialFile)).values_list("pk", flat=True))


def read_file(file_id: int, progress: Progress | None = None) -> MaterialFile | None:
    """Read one file and store its clips, or the problem in its row; None if another worker has the file."""
    facts = {"attempts": F("attempts") + 1, "doing": "opening", "done": 0, "total": 0}
    file = leasing.take(MaterialFile.objects.filter(pk=file_id), seconds=LEASE, **facts)
    if file is None:
        return None
    with suppress(leasing.LeaseLost), staging() as folder:
        _read(file, folder.resolve(), progress)
    return MaterialFile.objects.filter(pk=file_id).first()


def _read(file: MaterialFile, folder: Path, progress: Progress | None) -> None:
    """Read the file and store its clips, or the problem. Raises LeaseLost."""
    try:
        found: dict[str, Any] = (
            {"problem": LOST} if file.attempts > ATTEMPTS else _read_by_child(file, folder, progress)
        )
    except FileLost as error:
        _refuse(file, str(error)) if file.attempts >= ATTEMPTS else leasing.give_back(file)
        return
    if "problem" in found:
        _refuse(file, found["problem"])
    else:
        store().put({path: stored_name(file, path.name) for path in folder.iterdir()})
        _store(file, found["found"])


def _refuse(file: MaterialFile, problem: str) -> None:
    if leasing.end(file, FileState.REFUSED, problem=f"{file.name}: {problem}"[:300], doing=""):
        remove_stored(file)


def _read_by_child(file: MaterialFile, folder: Path, progress: Progress | None) -> dict[str, Any]:
    """The child's result; its clips are in `folder`."""
    source = store().local(stored_name(file, SOURCE)).resolve()
    seed = file.material.seed * 1_000_003 + int(file.sha256[:8], 16)
    order = {"source": str(source), "folder": str(folder), "seed": seed, "shortest": file.material.shortest}
    for report in _child_reports(json.dumps(order)):
        if "doing" not in report:
            return report
        file.doing, file.done, file.total = report["doing"], report["done"], report["total"]
        if not leasing.renew(file, seconds=LEASE, doing=file.doing, done=file.done, total=file.total):
            raise leasing.LeaseLost(f"another worker has {file}")
        if progress:
            progress(file)
    raise FileLost(LOST)


def _child_reports(line: str) -> Iterator[dict[str, Any]]:
    from benchmarks.encoding.sandbox import started

    process = started("extensions.annotation.analysis.child", MEGABYTES)
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
    """Store the clips with the rules' reasons, and remove the source file. Raises LeaseLost."""
    leasing.hold(file)
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
    leasing.end(file, FileState.READ, doing="", **facts)
    transaction.on_commit(lambda: store().remove([stored_name(file, SOURCE)]))


def _sound_reasons(shares: SoundShares) -> list[list[str]]:
    return [
        [name, f"{WORDS[name]}: {100 * getattr(shares, name):.0f} % of its time ({LIMITS[name]})"]
        for name in shares.reasons()
    ]


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
