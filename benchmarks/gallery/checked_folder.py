"""The ZIP that a member of staff checked last, for the import that follows; one a person, on this machine."""

import hashlib
import shutil
from pathlib import Path
from typing import IO

from django.conf import settings

from scenes.whole_files import whole


def store(user: str, file: IO[bytes]) -> str:
    """Put the file in place of this person's last one; returns its SHA-256."""
    path = _place_of(user)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.seek(0)
    with whole(path) as temporary, temporary.open("wb") as target:
        shutil.copyfileobj(file, target)
    return _digest(path)


def find(user: str, digest: str) -> Path | None:
    """This person's last file, if it is the one with this SHA-256."""
    path = _place_of(user)
    return path if path.is_file() and _digest(path) == digest else None


def forget(user: str) -> None:
    _place_of(user).unlink(missing_ok=True)


def _place_of(user: str) -> Path:
    return Path(settings.VAR_DIR) / "checked-folders" / f"{user}.zip"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
