"""The file of a backup: a tar of `database.sqlite3`, `media/…`, `models/…`, and last `contents.json`.

The last part has the sum of all bytes before it; the sum of the whole file lies beside it, for `sha256sum --check`.
"""

import hashlib
import io
import json
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from benchmarks.commands import CallerMistake
from benchmarks.policy import MEGABYTE

FORMAT = 2
DATABASE, CONTENTS = "database.sqlite3", "contents.json"
CHUNK = MEGABYTE
Progress = Callable[[int, int], None]  # bytes done, bytes in all


class Summing:
    """A file that sums what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.sum, self.tell = file, hashlib.sha256(), file.tell

    def write(self, data: bytes) -> int:
        self.sum.update(data)
        return self.file.write(data)


class Writer:
    """Adds parts one after the other."""

    def __init__(self, tar: tarfile.TarFile, whole: Summing) -> None:
        self.tar, self.whole, self.parts = tar, whole, 0

    def add(self, name: str, file: IO[bytes], size: int) -> None:
        info = tarfile.TarInfo(name)
        info.size, info.mode = size, 0o600
        self.tar.addfile(info, file)
        self.parts += 1

    def finish(self, facts: dict[str, Any]) -> None:
        text = json.dumps({"format": FORMAT, **facts, "sum": self.whole.sum.hexdigest()}, indent=1).encode()
        self.add(CONTENTS, io.BytesIO(text), len(text))


@contextmanager
def writing(target: Path) -> Iterator[Writer]:
    """Write an archive that only its owner may read; once complete, it gets its name and a checksum file beside it."""
    part = target.with_name(f".{target.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            whole = Summing(file)
            with tarfile.open(fileobj=whole, mode="w", format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload]
                yield Writer(tar, whole)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
        sum_file(target).write_text(f"{whole.sum.hexdigest()}  {target.name}\n")
    finally:
        part.unlink(missing_ok=True)


def sum_file(target: Path) -> Path:
    return target.with_name(f"{target.name}.sha256")


class Archive:
    """A checked archive: complete, and each byte as it was written."""

    def __init__(self, path: Path, progress: Progress = lambda done, total: None) -> None:
        self.path = path
        try:
            with tarfile.open(path, "r:") as tar:
                *self.parts, last = tar.getmembers()
                if last.name != CONTENTS:
                    raise tarfile.TarError("its end is missing")
                self.facts = json.loads(_part(tar, last).read())
            self._check(last.offset, progress)
        except FileNotFoundError as error:
            raise CallerMistake(f"{path}: there is no such file") from error
        except (tarfile.TarError, OSError, EOFError, ValueError) as error:
            raise CallerMistake(f"{path}: not a backup of this site, or cut off: {error}") from error

    def _check(self, end: int, progress: Progress) -> None:
        if self.facts.get("format") != FORMAT:
            raise CallerMistake(f"a backup of format {self.facts.get('format')}: this version reads format {FORMAT}")
        for part in self.parts:
            if not part.isfile() or part.name.startswith("/") or ".." in Path(part.name).parts:
                raise CallerMistake(f"{self.path}: {part.name} is not a plain part of a backup")
        sum_, done = hashlib.sha256(), 0
        with self.path.open("rb") as file:
            while data := file.read(min(CHUNK, end - done)):
                sum_.update(data)
                done += len(data)
                progress(done, end)
        if sum_.hexdigest() != self.facts["sum"]:
            raise CallerMistake(f"{self.path} is damaged: its sum is not the one that it was written with")

    def each(self, folder: str) -> Iterator[tuple[str, IO[bytes]]]:
        """Yield name below the folder and content of every part in the folder, in the order of the file."""
        with tarfile.open(self.path, "r:") as tar:
            for part in self.parts:
                if part.name.startswith(f"{folder}/"):
                    yield part.name.removeprefix(f"{folder}/"), _part(tar, part)

    def count(self, folder: str) -> int:
        return sum(part.name.startswith(f"{folder}/") for part in self.parts)

    def copy_database(self, target: Path) -> None:
        with tarfile.open(self.path, "r:") as tar, target.open("wb") as file:
            part = next((part for part in self.parts if part.name == DATABASE), None)
            if part is None:
                raise CallerMistake(f"{self.path}: {DATABASE} is missing")
            shutil.copyfileobj(_part(tar, part), file, CHUNK)


def _part(tar: tarfile.TarFile, part: tarfile.TarInfo) -> IO[bytes]:
    """The content of the part, opened by its TarInfo, since looking up a name would search through all parts."""
    file = tar.extractfile(part)
    assert file is not None  # only plain files are in it
    return file
