"""Archives of clip sets arrive in parts, so that a broken connection costs one of them; a worker joins and checks them.

The row knows how much has arrived: whoever sends the same file again goes on from there.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from typing import IO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models.functions import Now

from benchmarks import leasing
from benchmarks.errors import BenchmarkError, ContentRefused
from benchmarks.leasing import queue_task
from benchmarks.policy import KEEP, LIMITS
from extensions.generated.models import ClipSet, ClipSetState, PromptPack

CHECK = "extensions.generated.tasks.check_clip_set"
PLACE = "uploads/clipsets"
PART = LIMITS["clip set part"].most


class OtherPartWanted(BenchmarkError):
    """The part does not begin where the archive ends so far, at `received`."""

    def __init__(self, received: int) -> None:
        super().__init__(f"the next part begins at byte {received}")
        self.received = received


def begin(*, pack: PromptPack, archive: str, size: int, uploader_id: int) -> ClipSet:
    """The row of this upload: a new one, or that of the same file whose parts were arriving."""
    if not 0 < size <= LIMITS["clip set"].most:
        most = LIMITS["clip set"].words
        raise ContentRefused(f"{archive[:80]}: is {'empty' if size < 1 else f'larger than {most}'}; nothing was stored")
    same = {"pack": pack, "archive": archive[:200], "size": size, "uploader_id": uploader_id}
    key = secrets.token_hex(16)
    new = {"key": key, "slug": key, "title": archive[:160]}
    return ClipSet.objects.get_or_create(**same, state=ClipSetState.SENDING, defaults=new)[0]


def add_part(clip_set: ClipSet, start: int, content: bytes) -> int:
    """Store the next bytes of the archive; with the last ones it waits for a worker. Returns how many are here."""
    if clip_set.state != ClipSetState.SENDING or start != clip_set.received:
        raise OtherPartWanted(clip_set.received)
    end = start + len(content)
    if not content or len(content) > PART or end > clip_set.size:
        raise ContentRefused(f"a part has 1 to {PART} bytes and ends within the file's {clip_set.size}")
    name = _part(clip_set, start)
    default_storage.delete(name)  # of a request that broke off after it was stored
    default_storage.save(name, ContentFile(content))
    is_last = end == clip_set.size
    row = ClipSet.objects.filter(pk=clip_set.pk, state=ClipSetState.SENDING, received=start)
    if not row.update(received=end, state=ClipSetState.WAITING if is_last else ClipSetState.SENDING):
        clip_set.refresh_from_db()
        raise OtherPartWanted(clip_set.received)
    if is_last:
        transaction.on_commit(partial(queue_task, CHECK, clip_set.pk))
    return end


def _part(clip_set: ClipSet, start: int) -> str:
    return f"{PLACE}/{clip_set.key}/{start:015}"


def _parts(clip_set: ClipSet) -> list[str]:
    try:
        names = default_storage.listdir(f"{PLACE}/{clip_set.key}")[1]
    except FileNotFoundError:
        return []
    return [f"{PLACE}/{clip_set.key}/{name}" for name in sorted(names)]


@contextmanager
def joined(clip_set: ClipSet, folder: Path) -> Iterator[IO[bytes]]:
    """The archive, opened, as a file in this folder; the parts stay until `drop_archive`."""
    with (folder / "archive").open("w+b") as archive:
        for name in _parts(clip_set):
            with default_storage.open(name) as part:
                copyfileobj(part, archive)
        archive.seek(0)
        yield archive


def drop_archive(clip_set: ClipSet) -> None:
    for name in _parts(clip_set):
        default_storage.delete(name)


def unread() -> list[int]:
    """Ids of sets to queue: waiting ones, and those whose worker was lost."""
    return list(ClipSet.objects.filter(leasing.free(ClipSet)).values_list("pk", flat=True))


def drop_unfinished() -> None:
    """Delete refused sets, and uploads that never ended, after as long as refused uploads are kept."""
    old = ClipSet.objects.filter(created_at__lt=Now() - KEEP["refused uploads"].period)
    for clip_set in old.filter(state__in=(ClipSetState.SENDING, ClipSetState.REFUSED)):
        drop_archive(clip_set)
        clip_set.delete()
