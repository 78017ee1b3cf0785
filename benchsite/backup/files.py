"""Files that belong to the state: media, in a folder or an object store, and weights of models trained here."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Protocol

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, default_storage

from benchmarks.storage.folder import FILE_TIME


class FileTree(Protocol):
    """A tree of such files; names are relative to its root, and parts whose names begin with a dot are skipped."""

    def names(self) -> Iterator[str]: ...
    def open(self, name: str) -> IO[bytes]: ...
    def put(self, name: str, content: IO[bytes]) -> None: ...
    def delete(self, name: str) -> None: ...


class Folder:
    """A folder on this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self) -> Iterator[str]:
        for folder, below, files in os.walk(self.root):
            below[:] = sorted(name for name in below if not name.startswith("."))
            for name in sorted(files):
                if not name.startswith("."):
                    yield (Path(folder) / name).relative_to(self.root).as_posix()

    def open(self, name: str) -> IO[bytes]:
        return (self.root / name).open("rb")

    def put(self, name: str, content: IO[bytes]) -> None:
        """Write the file completely or not at all, with the fixed time of all served files, which hides their order."""
        target = self.root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".restoring-", delete=False) as file:
            while chunk := content.read(1024 * 1024):
                file.write(chunk)
        os.chmod(file.name, 0o644)
        os.utime(file.name, (FILE_TIME, FILE_TIME))
        os.replace(file.name, target)

    def delete(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)


class Store:
    """An object store."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def names(self) -> Iterator[str]:
        yield from self._below("")

    def _below(self, folder: str) -> Iterator[str]:
        folders, files = self.storage.listdir(folder)
        for name in sorted(files):
            if name and not name.startswith("."):
                yield f"{folder}{name}"
        for name in sorted(folders):
            if not name.startswith("."):
                yield from self._below(f"{folder}{name}/")

    def open(self, name: str) -> IO[bytes]:
        return self.storage.open(name)

    def put(self, name: str, content: IO[bytes]) -> None:
        self.storage.save(name, File(content))

    def delete(self, name: str) -> None:
        self.storage.delete(name)


def places() -> dict[str, FileTree]:
    """Folder in the backup -> file tree on this site."""
    is_folder = settings.MEDIA_STORE == "folder"
    media: FileTree = Folder(Path(settings.MEDIA_ROOT)) if is_folder else Store(default_storage)
    return {"media": media, "models": Folder(Path(settings.VAR_DIR) / "models")}
