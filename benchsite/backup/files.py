"""Files that belong to the state: media, in a folder or an object store, and weights of models trained here."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, default_storage

from benchmarks.storage.folder import FILE_TIME


def places() -> dict[str, Storage]:
    """Folder in the backup -> storage on this site."""
    return {"media": default_storage, "models": FileSystemStorage(Path(settings.VAR_DIR) / "models")}


def names_in(storage: Storage, folder: str = "") -> Iterator[str]:
    """The names of all files, without parts that begin with a dot, as half-written ones do."""
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:
        return
    yield from (f"{folder}{name}" for name in sorted(files) if name and not name.startswith("."))
    for name in sorted(folders):
        if not name.startswith("."):
            yield from names_in(storage, f"{folder}{name}/")


def put(storage: Storage, name: str, content: IO[bytes]) -> None:
    """Store the file; in a folder with the fixed time of all served files, which hides their order."""
    storage.save(name, File(content))
    with suppress(NotImplementedError):
        os.utime(storage.path(name), (FILE_TIME, FILE_TIME))
