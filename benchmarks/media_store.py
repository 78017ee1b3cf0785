"""Where stored files lie, under names that tell nothing: a folder, or a store of objects that several machines share.

A name is `clips/NAME` for what is served, `trajectories/NAME` and `variations/NAME` for what is never served as such.
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

TRAJECTORY = "trajectory"  # stored like a rendition, but in a folder of its own, and never served
FLIPPED = "flipped"  # of an item, see FlippedClip
EXTENSIONS = {
    TRAJECTORY: ".npz",
    RenditionKind.SOURCE: ".bin",
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
FORGOTTEN_AFTER = 24 * 3600  # seconds; what a killed import left behind
STORES = {"folder": "benchmarks.folder_store.FolderStore", "s3": "benchmarks.object_store.ObjectStore"}


class MediaStore(Protocol):
    """What either kind of store does. Each method raises StoreAway where the store can't be reached in time."""

    def local(self, name: str) -> Path:
        """The file on this machine, to be read and nothing else; a path without a file where none is stored."""

    def size(self, name: str) -> int | None:
        """In bytes; None where none is stored."""

    def pieces(self, name: str, start: int, end: int) -> Iterator[bytes]:
        """The bytes from start to end, both included."""

    def put(self, files: Mapping[Path, str]) -> None:
        """Store all of these files (of a staging folder) under these names, or none."""

    def remove(self, names: Iterable[str]) -> None:
        """Remove these; what is not there is no mistake."""

    def names(self, start: str) -> list[str]:
        """Every stored name that begins so."""

    def accelerated(self, name: str) -> str:
        """The address inside nginx that answers with the file."""


def store() -> MediaStore:
    """The one that MEDIA_STORE names."""
    kind: type[MediaStore] = import_string(STORES[settings.MEDIA_STORE])
    return kind()


def clip_name(name: str) -> str:
    return f"clips/{name}"


def trajectory_name(name: str) -> str:
    return f"trajectories/{name}"


def variation_name(name: str) -> str:
    """Of what would have happened in a clip, filmed once somebody asked."""
    return f"variations/{name}"


def sha256_of(path: Path) -> str:
    """Read piece by piece, so that a long file takes no memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def stored_name(kind: str, name: str) -> str:
    return trajectory_name(name) if kind == TRAJECTORY else clip_name(name)


def opaque_name(secret: bytes, identity: str, kind: str) -> str:
    """A name that only this installation could have made: it depends on its secret, not on label or order alone."""
    digest = hmac.new(secret, f"{identity}\n{kind}".encode(), hashlib.sha256).digest()
    return b32encode(digest).decode().lower()[:26] + EXTENSIONS[kind]


def naming_secret() -> bytes:
    key, _ = Key.objects.get_or_create(name="media", defaults={"secret": secrets.token_bytes(32)})
    return bytes(key.secret)


@contextmanager
def staging() -> Iterator[Path]:
    """A folder to make files ready in, gone afterwards; what a killed import left a day ago goes, too."""
    root = Path(settings.MEDIA_ROOT)
    root.mkdir(parents=True, exist_ok=True)
    for left in root.glob(".staging-*"):
        if time.time() - left.stat().st_mtime > FORGOTTEN_AFTER:
            shutil.rmtree(left, ignore_errors=True)
    folder = root / f".staging-{secrets.token_hex(8)}"
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
