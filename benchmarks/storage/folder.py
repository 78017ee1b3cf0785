"""A media store in a local folder, or in one shared by all machines."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from django.conf import settings
from django.core.files.storage import FileSystemStorage

from benchmarks.policy import KILOBYTE

# All files get the same mtime, because the writing order would reveal the order of the release's folders.
FILE_TIME = 1_577_836_800
CHUNK = 64 * KILOBYTE
# nginx reads media as another user, while the writing processes create files only for their own user.
SERVED_FILE, SERVED_FOLDER = 0o644, 0o755
HOLDS = ".backup-"  # a running backup's folder below MEDIA_ROOT begins with this


def make_served(folder: Path) -> None:
    """Create the folder and missing parent folders, readable by nginx."""
    for path in reversed([path for path in (folder, *folder.parents) if not path.exists()]):
        path.mkdir(exist_ok=True)
        path.chmod(SERVED_FOLDER)


def remove(name: str) -> None:
    """Delete a file below MEDIA_ROOT; a running backup takes it over, since rows that it reads may name the file."""
    root = Path(settings.MEDIA_ROOT)
    path = root / name
    for hold in root.glob(f"{HOLDS}*"):
        with suppress(OSError):  # it is deleted already, the backup has ended, or this folder is another file system
            (hold / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, hold / name)
    path.unlink(missing_ok=True)


class MediaFolder(FileSystemStorage):
    """The folder of media as Django's storage."""

    def delete(self, name: str) -> None:
        remove(os.path.relpath(self.path(name), self.location))


class FolderStore:
    """Names are paths below MEDIA_ROOT."""

    def local(self, name: str) -> Path:
        return Path(settings.MEDIA_ROOT) / name

    def size(self, name: str) -> int | None:
        try:
            return self.local(name).stat().st_size
        except FileNotFoundError:
            return None

    def pieces(self, name: str, start: int, end: int) -> Iterator[bytes]:
        return pieces_of(self.local(name), start, end)

    def put(self, files: Mapping[Path, str]) -> None:
        """Move every file to its place; if one fails, remove those already moved."""
        with ExitStack() as unless_finished:
            for source, name in files.items():
                target = self.local(name)
                make_served(target.parent)
                os.utime(source, (FILE_TIME, FILE_TIME))
                os.chmod(source, SERVED_FILE)
                os.replace(source, target)
                unless_finished.callback(target.unlink, missing_ok=True)
            unless_finished.pop_all()

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            remove(name)

    def names(self, start: str) -> list[str]:
        """Every stored name with this prefix; `start` is a folder and, optionally, the beginning of file names."""
        folder, _slash, stem = start.rpartition("/")
        return [f"{folder}/{path.name}" for path in self.local(folder).glob(f"{stem}*")]

    def accelerated(self, name: str) -> str:
        """The internal nginx location of the file (docker/nginx.conf)."""
        return f"/kept/{name}"


def pieces_of(path: Path, start: int, end: int) -> Iterator[bytes]:
    """Yield the bytes from start to end, both included, in chunks."""
    with path.open("rb") as file:
        file.seek(start)
        left = end - start + 1
        while left > 0 and (piece := file.read(min(CHUNK, left))):
            left -= len(piece)
            yield piece
