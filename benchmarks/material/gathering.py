"""Files coming in: a material is begun, a file is put aside where it can be read, and nothing comes twice."""

import hashlib
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

from django.db import IntegrityError, transaction

from benchmarks.errors import BenchmarkError, ContentRefused
from benchmarks.media_store import staging, store
from benchmarks.models import Material, MaterialFile

MEGABYTES = 2000  # of one file through the site; a command may take up to 8 GB
SUFFIXES = (".mp4", ".mov", ".m4v", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".flv", ".wmv")
SOURCE = "source"  # the file as it came
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class FileRefused(BenchmarkError):
    """A file that can't be taken in; the message begins with its name."""


class FileKnown(FileRefused):
    """A file whose content came before, and stands here as `same`: nothing of it is changed."""

    def __init__(self, name: str, same: MaterialFile) -> None:
        super().__init__(f"{name}: the same file is here already, as {same.name}")
        self.name, self.same = name, same


def begin_material(*, slug: str, title: str = "", seed: int = 0, author_id: int | None = None) -> Material:
    """A new body of clips. Raises ContentRefused where the name is taken, BenchmarkError where it is none."""
    if not SLUG.fullmatch(slug) or len(slug) > 60:
        raise BenchmarkError(f"{slug!r} is no name: small letters, digits and single hyphens, 60 at most")
    if Material.objects.filter(slug=slug).exists():
        raise ContentRefused(f"there is a material {slug} already; choose another name")
    return Material.objects.create(slug=slug, title=title or slug.replace("-", " ").capitalize(), seed=seed,
                                   author_id=author_id)  # fmt: skip


def stored_name(file: MaterialFile, part: str) -> str:
    """What the media store calls this part of it: SOURCE, or `3.mp4`, `3.jpg`, `3.npy` of its clip 3."""
    return f"material/{file.place}-{part}"


def remove_stored(file: MaterialFile) -> None:
    """Every part."""
    store().remove(store().names(stored_name(file, "")))


def take_in(*, material: Material, name: str, chunks: Iterable[bytes]) -> MaterialFile:
    """Put a file aside to be read: it stands whole, or not at all. FileRefused names it and says why not.

    What came before is FileKnown also where nothing can be added any more.
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
    try:
        _save_once(file)
    except BaseException:
        remove_stored(file)
        raise
    return file


def _written(path: Path, chunks: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    with path.open("wb") as target:
        for chunk in chunks:
            digest.update(chunk)
            target.write(chunk)
    return digest.hexdigest()


def _same(file: MaterialFile) -> MaterialFile | None:
    """The file of the same content that stands in its material."""
    return MaterialFile.objects.filter(material=file.material, sha256=file.sha256).first()


def _save_once(file: MaterialFile) -> None:
    """Of two that are sent at the same moment one is stored."""
    try:
        with transaction.atomic():
            file.save()
    except IntegrityError:
        if same := _same(file):
            raise FileKnown(file.name, same) from None
        raise


def remove_file(file: MaterialFile) -> None:
    """Take a file and its clips out of a material whose pack is not made."""
    if file.material.is_closed:
        raise FileRefused(f"{file.name}: the pack is made, nothing can be taken out any more")
    with transaction.atomic():
        MaterialFile.objects.filter(pk=file.pk).delete()
        remove_stored(file)  # a store that is away keeps the row, too
