"""Where served files lie, under names that tell nothing, and how a pack's files arrive all at once or not at all."""

import hashlib
import hmac
import os
import secrets
import shutil
import time
from base64 import b32encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

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
# All files get the same time: the order in which they were written would tell the order of the folders.
FILE_TIME = 1_577_836_800
FORGOTTEN_AFTER = 24 * 3600  # seconds; what a killed import left behind
CHUNK = 1024 * 1024


def clip_folder() -> Path:
    return Path(settings.MEDIA_ROOT) / "clips"


def trajectory_folder() -> Path:
    return Path(settings.MEDIA_ROOT) / "trajectories"


def sha256_of(path: Path) -> str:
    """Read piece by piece, so that a long file takes no memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def place_of(kind: str, name: str) -> Path:
    return (trajectory_folder() if kind == TRAJECTORY else clip_folder()) / name


def opaque_name(secret: bytes, identity: str, kind: str) -> str:
    """A name that only this installation could have made: it depends on its secret, not on label or order alone."""
    digest = hmac.new(secret, f"{identity}\n{kind}".encode(), hashlib.sha256).digest()
    return b32encode(digest).decode().lower()[:26] + EXTENSIONS[kind]


def naming_secret() -> bytes:
    key, _ = Key.objects.get_or_create(name="media", defaults={"secret": secrets.token_bytes(32)})
    return bytes(key.secret)


@contextmanager
def staging() -> Iterator[Path]:
    """A folder beside the served files, gone afterwards; also clears what a killed import left a day ago."""
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


def move_all(moves: dict[Path, Path]) -> None:
    """Put every file in its place; if one can't be, take back those that were."""
    done: list[Path] = []
    try:
        for source, target in moves.items():
            target.parent.mkdir(parents=True, exist_ok=True)
            os.utime(source, (FILE_TIME, FILE_TIME))
            os.replace(source, target)
            done.append(target)
    except BaseException:
        remove(done)
        raise


def remove(paths: list[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
