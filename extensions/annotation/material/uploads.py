"""Uploads: create a material, and store each file once for reading; sent again, it changes nothing and is reported."""

import hashlib
import re
import secrets
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from benchmarks.errors import BenchmarkError, ContentRefused
from benchmarks.storage.store import staging, store
from extensions.annotation.material.review import clips_of
from extensions.annotation.models import FileState, Material, MaterialFile

SUFFIXES = (".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".flv", ".wmv")
SOURCE = "source"  # the uploaded file
READ, PACK = "extensions.annotation.tasks.read_material", "extensions.annotation.tasks.make_material_pack"
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class FileRefused(BenchmarkError):
    """A file that can't be accepted; the message begins with its name."""


class FileKnown(FileRefused):
    """A file with the same content is already stored, as `same`; nothing was changed."""

    def __init__(self, name: str, same: MaterialFile) -> None:
        super().__init__(f"{name}: the same file is here already, as {same.name}")
        self.name, self.same = name, same


def begin_material(
    *, slug: str, title: str = "", seed: int = 0, shortest: float = 4.0, author_id: int | None = None
) -> Material:
    """Create a material whose clips last at least `shortest` seconds (1 to 5).

    Raises ContentRefused if the name is taken, BenchmarkError if name or length is invalid.
    """
    if not SLUG.fullmatch(slug) or len(slug) > 60:
        raise BenchmarkError(f"{slug!r} is no name: small letters, digits and single hyphens, 60 at most")
    if not 1 <= shortest <= 5:
        raise BenchmarkError(f"the shortest clip can't last {shortest:g} s: from 1 to 5 s are possible")
    if Material.objects.filter(slug=slug).exists():
        raise ContentRefused(f"there is a material {slug} already; choose another name")
    title = title or slug.replace("-", " ").capitalize()
    return Material.objects.create(slug=slug, title=title, seed=seed, shortest=shortest, author_id=author_id)


@transaction.atomic
def remove_material(material: Material) -> None:
    """Remove a material with its files and clips; raises FileRefused once its pack is made or being made."""
    locked = Material.objects.select_for_update().get(pk=material.pk)
    if locked.is_closed:
        raise FileRefused(f"{locked.slug}: its pack is made, so that it can't be removed any more")
    files = list(locked.files.all())
    locked.delete()
    for file in files:
        remove_stored(file)  # inside the transaction: the rows stay if the store is away


def stored_name(file: MaterialFile, part: str) -> str:
    """The media store's name for a part of the file: SOURCE, or `3.mp4`, `3.jpg`, `3.npy` of clip 3."""
    return f"material/{file.place}-{part}"


def remove_stored(file: MaterialFile) -> None:
    """Remove every stored part of the file."""
    store().remove(store().names(stored_name(file, "")))


def take_in(*, material: Material, name: str, chunks: Iterable[bytes]) -> MaterialFile:
    """Store an uploaded file, completely or not at all; raises FileRefused, whose message names file and reason.

    A file with known content raises FileKnown even if the material is closed.
    """
    if Path(name).suffix.lower() not in SUFFIXES:
        raise FileRefused(f"{name}: no video by its name; these can be read: {', '.join(SUFFIXES)}")
    file = MaterialFile(material=material, name=name[:200], place=secrets.token_hex(16))
    with staging() as folder:
        file.sha256 = _written(folder / SOURCE, chunks)
        if not (folder / SOURCE).stat().st_size:
            raise FileRefused(f"{name}: the file is empty")
        if same := _same(file):
            raise FileKnown(name, same)
        if material.is_closed:
            raise FileRefused(f"{name}: the pack of {material.slug} is made, nothing can be added any more")
        store().put({folder / SOURCE: stored_name(file, SOURCE)})
    with ExitStack() as unless_saved:
        unless_saved.callback(remove_stored, file)
        _save_once(file)
        unless_saved.pop_all()
    return file


def _written(path: Path, chunks: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    with path.open("wb") as target:
        for chunk in chunks:
            digest.update(chunk)
            target.write(chunk)
    return digest.hexdigest()


def _same(file: MaterialFile) -> MaterialFile | None:
    """The file with the same content in this material, or None."""
    return MaterialFile.objects.filter(material=file.material, sha256=file.sha256).first()


def _save_once(file: MaterialFile) -> None:
    """Save the row; if the same file was sent at the same moment, raise FileKnown."""
    try:
        with transaction.atomic():
            file.save()
    except IntegrityError:
        if same := _same(file):
            raise FileKnown(file.name, same) from None
        raise


def remove_file(file: MaterialFile) -> None:
    """Remove a file and its clips from a material whose pack is not made yet."""
    if file.material.is_closed:
        raise FileRefused(f"{file.name}: the pack is made, nothing can be taken out any more")
    with transaction.atomic():
        MaterialFile.objects.filter(pk=file.pk).delete()
        remove_stored(file)  # inside the transaction: the row stays if the store is away


NAMED = 10  # names in one sentence


@dataclass(frozen=True)
class StoredFile:
    """A stored file, with its numbers of clips and of kept clips."""

    name: str  # its name in the new upload
    file: MaterialFile
    clips: int
    kept: int

    @property
    def problem(self) -> str:
        """Why it can't be used, if its first upload was refused; else an empty string."""
        is_refused = self.file.state == FileState.REFUSED
        return self.file.problem.replace(f"{self.file.name}:", f"{self.name}:", 1) if is_refused else ""

    def __str__(self) -> str:
        called = self.name if self.name == self.file.name else f"{self.name} (as {self.file.name})"
        if self.file.is_open:
            return f"{called}: waits to be read"
        return f"{called}: {self.clips} {'clip' if self.clips == 1 else 'clips'}, {self.kept} kept"


def known(error: FileKnown) -> StoredFile:
    """The stored state of the file."""
    error.same.refresh_from_db()
    clips = [clip for clip in clips_of(error.same.material) if clip.file_id == error.same.pk]
    return StoredFile(error.name, error.same, len(clips), sum(clip.is_kept for clip in clips))


def here_already(found: Sequence[StoredFile], sent: int) -> str:
    """One sentence about all files that were stored before."""
    named = "; ".join(map(str, found[:NAMED])) + (f"; and {len(found) - NAMED} more" if len(found) > NAMED else "")
    are = "file is" if sent == 1 else f"files {'is' if len(found) == 1 else 'are'}"
    them = "it" if len(found) == 1 else "them"
    return f"{len(found)} of {sent} {are} here already, and nothing of {them} was changed: {named}"
