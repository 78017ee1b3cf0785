"""Unpacks the ZIP of a benchmark's folder: no path escapes, its size is limited, and damage is a sentence."""

import errno
import lzma
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from benchmarks.definitions.release_bounds import is_litter
from benchmarks.errors import BadRelease
from benchmarks.packs.benchmark_files import NAME
from benchmarks.policy import LIMITS, MEGABYTE

PACKED, UNPACKED = LIMITS["benchmark"].most, LIMITS["benchmark unpacked"].most  # bytes; the command accepts more
MEMBERS = LIMITS["benchmark files"].most
BLOCK = MEGABYTE
BROKEN = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
)
MISNAMED = {errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EINVAL, errno.EILSEQ}


@contextmanager
def unpacked(file: IO[bytes]) -> Iterator[Path]:
    """The folder in this ZIP, unpacked as long as the context lasts; BadRelease if it has none or is too large."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        try:
            with zipfile.ZipFile(file) as archive:
                _unpack(archive, root)
        except BadRelease:
            raise
        except BROKEN as error:
            raise BadRelease(f"the file is no ZIP that can be read ({error}); make or send it again") from None
        found = sorted(root.rglob(NAME), key=lambda path: len(path.parts))
        if not found:
            raise BadRelease(f"there is no {NAME} in the ZIP")
        yield found[0].parent


def _unpack(archive: zipfile.ZipFile, root: Path) -> None:
    members = [one for one in archive.infolist() if not one.is_dir() and not is_litter(one.filename)]
    if len(members) > MEMBERS:
        raise BadRelease(f"the ZIP has {len(members)} files; at most {MEMBERS} come through this page")
    left = UNPACKED
    for one in members:
        path = (root / one.filename).resolve()
        if not path.is_relative_to(root.resolve()) or stat.S_ISLNK(one.external_attr >> 16):
            raise BadRelease(f"the ZIP has a file outside of its folder: {one.filename[:80]!r}")
        with _new_file(path, one.filename) as target, archive.open(one) as source:
            left = _copy(source, target, left)


def _new_file(path: Path, name: str) -> IO[bytes]:
    """The file, opened; BadRelease if a folder has its name, a file that of its folder, or its name is too long."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb")
    except OSError as error:
        if error.errno not in MISNAMED:
            raise
        raise BadRelease(f"the ZIP has a file that can't be written: {name[:80]!r} ({error.strerror})") from None


def _copy(source: IO[bytes], target: IO[bytes], left: int) -> int:
    """Write one file; return the remaining byte limit. Bytes are counted, since sizes stated in a ZIP may be false."""
    while block := _block(source):
        left -= len(block)
        if left < 0:
            most = LIMITS["benchmark unpacked"].words
            raise BadRelease(f"unpacked the ZIP has more than {most}; import the folder with the command")
        target.write(block)
    return left


def _block(source: IO[bytes]) -> bytes:
    try:
        return source.read(BLOCK)
    except (*BROKEN, OSError) as error:  # bz2 raises an OSError for damaged data
        raise BadRelease(f"the ZIP is damaged ({error}); make or send it again") from None
