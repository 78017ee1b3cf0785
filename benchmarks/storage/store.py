"""The media store: a folder, or an object store shared by several machines, with names that reveal nothing.

Served files are `clips/NAME`; `trajectories/NAME` and `variations/NAME` are never served directly.
"""

import hashlib
import hmac
import secrets
import shutil
import time
from base64 import b32encode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from benchmarks.models import Key, RenditionKind
from benchmarks.policy import KEEP
from benchmarks.storage.folder import make_served

TRAJECTORY = "trajectory"  # stored like a rendition, but in its own folder and never served
FLIPPED = "flipped"  # belongs to an item, see FlippedClip
EXTENSIONS = {
    TRAJECTORY: ".npz",
    RenditionKind.ORIGINAL: ".mp4",
    RenditionKind.PICTURE: ".png",
    RenditionKind.MUTED: ".mp4",
    RenditionKind.SILENT: ".mp4",
    RenditionKind.POSTER: ".jpg",
    RenditionKind.MIDDLE_FRAME: ".png",
    RenditionKind.FRAME_WITH_BOX: ".png",
    RenditionKind.SQUARE_CROP: ".png",
    RenditionKind.CROP_WITH_BOX: ".png",
    RenditionKind.SOUND_16000: ".wav",
    RenditionKind.SOUND_21992: ".wav",
    RenditionKind.SOUND_44100: ".wav",
    FLIPPED: ".mp4",
}
FORGOTTEN_AFTER = KEEP["staging"].period.total_seconds()  # after which the folder of a killed import is removed
STORES = {"folder": "benchmarks.storage.folder.FolderStore", "s3": "benchmarks.storage.s3.ObjectStore"}


class MediaStore(Protocol):
    """The interface of both stores. Each method raises StoreAway if the store can't be reached in time."""

    def local(self, name: str) -> Path:
        """A local path for reading only; no file exists there if none is stored."""

    def size(self, name: str) -> int | None:
        """Size in bytes; None if the file is not stored."""

    def pieces(self, name: str, start: int, end: int) -> Iterator[bytes]:
        """The bytes from start to end, both included."""

    def put(self, files: Mapping[Path, str]) -> None:
        """Store all of these files (from a staging folder) under these names, or none."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove these files; missing ones are ignored."""

    def names(self, start: str) -> list[str]:
        """Every stored name with this prefix."""

    def accelerated(self, name: str) -> str:
        """The internal nginx location that answers with the file."""


def store() -> MediaStore:
    """The store configured in MEDIA_STORE."""
    kind: type[MediaStore] = import_string(STORES[settings.MEDIA_STORE])
    return kind()


def clip_name(name: str) -> str:
    return f"clips/{name}"


def trajectory_name(name: str) -> str:
    return f"trajectories/{name}"


def variation_name(name: str) -> str:
    """Stored name of a counterfactual film of a clip, rendered on first request."""
    return f"variations/{name}"


def sha256_of(path: Path) -> str:
    """The file's SHA-256, read in chunks to save memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stored_name(kind: str, name: str) -> str:
    return trajectory_name(name) if kind == TRAJECTORY else clip_name(name)


def opaque_name(secret: bytes, identity: str, kind: str) -> str:
    """A file name derived with this installation's secret, so that nobody can compute it from label and order."""
    digest = hmac.new(secret, f"{identity}\n{kind}".encode(), hashlib.sha256).digest()
    return b32encode(digest).decode().lower()[:26] + EXTENSIONS[kind]


def naming_secret() -> bytes:
    return Key.secret_of("media")


@contextmanager
def staging() -> Iterator[Path]:
    """A temporary folder below MEDIA_ROOT, removed afterwards; also removes folders of imports killed a day ago."""
    root = Path(settings.MEDIA_ROOT)
    make_served(root)
    for left in root.glob(".staging-*"):
        if time.time() - left.stat().st_mtime > FORGOTTEN_AFTER:
            shutil.rmtree(left, ignore_errors=True)
    folder = root / f".staging-{secrets.token_hex(8)}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
