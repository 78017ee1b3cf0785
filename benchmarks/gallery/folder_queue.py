"""The queue of uploaded benchmark folders: a worker checks and imports them, and their pages show the progress.

The row holds the state, and a message only wakes a worker. After the loss of its worker a folder is taken again.
"""

import errno
import json
import lzma
import secrets
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple
from pathlib import Path
from typing import IO, Any

from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F

from benchmarks import leasing
from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.definitions.release_bounds import is_litter
from benchmarks.errors import BadRelease, BenchmarkError, ContentRefused, StoreAway
from benchmarks.leasing import queue_task
from benchmarks.models import FolderState, FolderUpload
from benchmarks.packs.benchmark_files import NAME, import_folder, read_file
from benchmarks.packs.folder_check import check_other, clip_changes, import_other
from benchmarks.packs.folder_process import check_within_limits
from benchmarks.policy import LIMITS, MEGABYTE
from benchmarks.storage.staging import Progress

PACKED = LIMITS["benchmark"].most  # bytes; the command accepts more
BLOCK = MEGABYTE
BROKEN = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
)
MISNAMED = {errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EINVAL, errno.EILSEQ}


@contextmanager
def unpacked(file: IO[bytes], name: str = NAME, limit: str = "benchmark", place: Path | None = None) -> Iterator[Path]:
    """The folder with a file of this name in a ZIP, unpacked below `place` as long as the context lasts.

    Raises BadRelease if there is none, or if it is larger than the limit of the policy.
    """
    with tempfile.TemporaryDirectory(dir=place) as folder:
        root = Path(folder)
        try:
            with zipfile.ZipFile(file) as archive:
                _unpack(archive, root, limit)
        except BadRelease:
            raise
        except BROKEN as error:
            raise BadRelease(f"the file is no ZIP that can be read ({error}); make or send it again") from None
        found = sorted(root.rglob(name), key=lambda path: len(path.parts))
        if not found:
            raise BadRelease(f"there is no {name} in the ZIP")
        yield found[0].parent


def _unpack(archive: zipfile.ZipFile, root: Path, limit: str) -> None:
    members = [one for one in archive.infolist() if not one.is_dir() and not is_litter(one.filename)]
    most, unpacked_most = LIMITS[f"{limit} files"], LIMITS[f"{limit} unpacked"]
    if len(members) > most.most:
        raise BadRelease(f"the ZIP has {len(members)} files; at most {most.most} come through this page")
    left = unpacked_most.most
    for one in members:
        path = (root / one.filename).resolve()
        if not path.is_relative_to(root.resolve()) or stat.S_ISLNK(one.external_attr >> 16):
            raise BadRelease(f"the ZIP has a file outside of its folder: {one.filename[:80]!r}")
        with _new_file(path, one.filename) as target, archive.open(one) as source:
            left = _copy(source, target, left, unpacked_most.words)


def _new_file(path: Path, name: str) -> IO[bytes]:
    """The file, opened; BadRelease if a folder has its name, a file that of its folder, or its name is too long."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb")
    except OSError as error:
        if error.errno not in MISNAMED:
            raise
        raise BadRelease(f"the ZIP has a file that can't be written: {name[:80]!r} ({error.strerror})") from None


def _copy(source: IO[bytes], target: IO[bytes], left: int, most: str) -> int:
    """Write one file; return the remaining byte limit. Bytes are counted, since sizes stated in a ZIP may be false."""
    while block := _block(source):
        left -= len(block)
        if left < 0:
            raise BadRelease(f"unpacked the ZIP has more than {most}; import the folder with the command")
        target.write(block)
    return left


def _block(source: IO[bytes]) -> bytes:
    try:
        return source.read(BLOCK)
    except (*BROKEN, OSError) as error:  # bz2 raises an OSError for damaged data
        raise BadRelease(f"the ZIP is damaged ({error}); make or send it again") from None


FOLDER = "benchmarks.tasks.read_folder"
PLACE = "uploads/folders"
WAIT = 2.0  # seconds for which a sender waits for the result
LEASE = 12 * 60.0  # seconds; longer than SQLite's one writer, the import, keeps the heartbeat out
BEAT = 5.0  # seconds between two updates of the progress
ATTEMPTS = 2
LOST = "checking or importing the folder broke off twice: use the commands check_benchmark and import_benchmark"
AWAY = "the site could not read or store the files ({}): nothing is imported; try again later"
NOT_ALLOWED = "the folder holds a benchmark with answers, which only the site's administrators import"
BUSY = "your last folder is still being read: send another one when that has ended"


def receive(*, file: IO[bytes], name: str, user_id: int, imports: bool) -> FolderUpload:
    """Queue a ZIP in place of this person's last one, and wait a moment; ContentRefused while that is being read."""
    key = secrets.token_hex(16)
    default_storage.save(f"{PLACE}/{key}", File(file))
    try:
        with transaction.atomic():
            last = FolderUpload.objects.select_for_update().filter(owner_id=user_id).first()
            lost = FolderUpload.objects.filter(leasing.expired(FolderUpload), owner_id=user_id)
            if last and last.is_open and not lost.exists():
                raise ContentRefused(BUSY)
            FolderUpload.objects.filter(owner_id=user_id).delete()
            upload = FolderUpload.objects.create(owner_id=user_id, key=key, name=name[:200], imports=imports)
    except ContentRefused:
        default_storage.delete(f"{PLACE}/{key}")
        raise
    if last:
        default_storage.delete(path_of(last))
    return _waited_for(upload)


def import_checked(*, key: str, user_id: int) -> FolderUpload:
    """Queue the import of the ZIP that this person checked; BadRelease if it is not here any more."""
    upload = FolderUpload.objects.filter(owner_id=user_id, key=key, state=FolderState.ENDED).first()
    if upload is None or not default_storage.exists(path_of(upload)):
        raise BadRelease("the file that was checked is not here any more: choose it again")
    upload.state, upload.imports, upload.attempts, upload.result = FolderState.WAITING, True, 0, ""
    upload.save()
    return _waited_for(upload)


def _waited_for(upload: FolderUpload) -> FolderUpload:
    queue_task(FOLDER, upload.pk)
    leasing.wait_for(upload, seconds=WAIT)
    return upload


def path_of(upload: FolderUpload) -> str:
    return f"{PLACE}/{upload.key}"


def unread() -> list[int]:
    """Ids of folders to queue: waiting ones, and those whose worker was lost."""
    return list(FolderUpload.objects.filter(leasing.free(FolderUpload)).values_list("pk", flat=True))


def drop_ownerless() -> None:
    """Delete the folders of deleted accounts."""
    for upload in FolderUpload.objects.filter(owner=None):
        default_storage.delete(path_of(upload))
        upload.delete()


def carry_out(upload_id: int) -> None:
    """Check or import one folder, and record the result; does nothing if another worker has it."""
    upload = leasing.take(FolderUpload.objects.filter(pk=upload_id), seconds=LEASE, attempts=F("attempts") + 1)
    if upload is None:
        return
    result = {"refusal": LOST} if upload.attempts > ATTEMPTS else _result_of(upload)
    if leasing.end(upload, FolderState.ENDED, result=json.dumps(result)) and "imported" in result:
        default_storage.delete(path_of(upload))


def _result_of(upload: FolderUpload) -> dict[str, Any]:
    """What the folder would become or became, its mistakes, or why it is refused."""
    try:
        with _progress(upload) as show, default_storage.open(path_of(upload)) as file, unpacked(file) as root:
            other = _other_imported(root, show) if upload.imports else _other_checked(root, show)
            if other is None and not (upload.owner and upload.owner.has_perm("benchmarks.add_benchmarkfile")):
                raise BadRelease(NOT_ALLOWED)
            return other or (_imported(root, show) if upload.imports else _checked(root, show))
    except BadDefinition as error:
        return {"mistakes": [astuple(mistake) for mistake in error.mistakes], "file": error.file}
    except BenchmarkError as error:
        return {"refusal": str(error).replace(f"{tempfile.gettempdir()}/", "")}
    except (OSError, StoreAway) as error:
        return {"away": AWAY.format(getattr(error, "strerror", None) or error)}


def _other_checked(root: Path, show: Progress) -> dict[str, Any] | None:
    """What an extension says of a folder of its own kind; None for a benchmark."""
    report = check_other(root, show)
    return {"other": asdict(report)} if report else None


def _other_imported(root: Path, show: Progress) -> dict[str, Any] | None:
    stored = import_other(root, show)
    return {"imported": "", "line": stored.line, "address": stored.address} if stored else None


def _checked(root: Path, show: Progress) -> dict[str, Any]:
    report = check_within_limits(root)
    changes, unreadable = clip_changes(root, [root / clip for clip in report.clips], show)
    report.findings.extend(unreadable)
    return {"report": asdict(report) | {"clips": [], "changes": changes}}


def _imported(root: Path, show: Progress) -> dict[str, Any]:
    check_within_limits(root)
    benchmark, report = import_folder(read_file(root / NAME), root, progress=show)
    line = f"{benchmark.title}: {report.items} questions about {report.clips} clips"
    return {"imported": benchmark.slug, "line": line}


@contextmanager
def _progress(upload: FolderUpload) -> Iterator[Progress]:
    """Renews the lease and stores how far the reading is: by another connection, since an import is one transaction."""
    clips = {"clips_done": 0, "clips_total": 0}

    def show(done: int, total: int) -> None:
        clips.update(clips_done=done, clips_total=total)

    with leasing.LeaseHeartbeat(upload, seconds=LEASE, every=BEAT, facts=clips.copy):
        yield show
