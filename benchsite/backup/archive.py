"""The file format: a tar of named parts, then the list of parts with their checksums; its own checksum is beside it.

database/<table>.jsonl.gz    rows
media/…  models/…            files, unchanged
contents.json                the last part: the list of parts and their checksums
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from benchmarks.commands import CallerMistake

FORMAT = 1
CONTENTS = "contents.json"
CHUNK = 1024 * 1024
Tell = Callable[[int], None]  # called with the number of bytes processed
Progress = Callable[[int, int], None]  # bytes done, bytes in all


class Summing:
    """A file wrapper that computes the checksum of everything it passes on."""

    def __init__(self, file: IO[bytes], tell: Tell = lambda count: None) -> None:
        self.file, self.sum, self.tell = file, hashlib.sha256(), tell

    def read(self, size: int = -1) -> bytes:
        return self._seen(self.file.read(size))

    def write(self, data: bytes) -> int:
        return self.file.write(self._seen(data))

    def _seen(self, data: bytes) -> bytes:
        self.sum.update(data)
        self.tell(len(data))
        return data


class Writer:
    """Adds parts one after the other."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self.tar = tar
        self.parts: dict[str, dict[str, Any]] = {}

    def add(self, name: str, file: IO[bytes], size: int, tell: Tell = lambda count: None) -> None:
        info, summing = tarfile.TarInfo(name), Summing(file, tell)
        info.size, info.mode = size, 0o600
        self.tar.addfile(info, summing)
        self.parts[name] = {"size": size, "sha256": summing.sum.hexdigest()}

    def finish(self, facts: dict[str, Any]) -> None:
        text = json.dumps({"format": FORMAT, **facts, "parts": self.parts}, indent=1).encode()
        info = tarfile.TarInfo(CONTENTS)
        info.size, info.mode = len(text), 0o600
        self.tar.addfile(info, io.BytesIO(text))


@contextmanager
def writing(target: Path) -> Iterator[Writer]:
    """Write an archive that only its owner may read; once complete, it gets its name and a checksum file beside it."""
    part = target.with_name(f".{target.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            whole = Summing(file)
            with tarfile.open(fileobj=whole, mode="w|", format=tarfile.PAX_FORMAT) as tar:  # type: ignore[call-overload]
                yield Writer(tar)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
        sum_file(target).write_text(f"{whole.sum.hexdigest()}  {target.name}\n")
    finally:
        part.unlink(missing_ok=True)


def sum_file(target: Path) -> Path:
    """The checksum file, in the format of `sha256sum --check`."""
    return target.with_name(f"{target.name}.sha256")


class Archive:
    """A completely checked archive: every part exists and matches its checksum."""

    def __init__(self, path: Path, progress: Progress = lambda done, total: None) -> None:
        self.path = path
        try:
            with tarfile.open(path, "r:") as tar:
                self.places = {info.name: info for info in tar.getmembers()}
                self.facts = _contents(tar, self.places.pop(CONTENTS, None))
                self._check(tar, progress)
        except FileNotFoundError as error:
            raise CallerMistake(f"{path}: there is no such file") from error
        except (tarfile.TarError, OSError, EOFError) as error:
            raise CallerMistake(f"{path}: not a backup of this site, or cut off: {error}") from error

    @property
    def parts(self) -> dict[str, dict[str, Any]]:
        return self.facts["parts"]

    def names(self, folder: str) -> list[str]:
        return [name for name in self.parts if name.startswith(f"{folder}/")]

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        with tarfile.open(self.path, "r:") as tar, _part(tar, self.places[name]) as file:
            yield file

    def each(self, folder: str) -> Iterator[tuple[str, IO[bytes]]]:
        """Yield (name below the folder, content) for every part in the folder, in the order of the file."""
        with tarfile.open(self.path, "r:") as tar:
            for name in self.names(folder):
                with _part(tar, self.places[name]) as file:
                    yield name.removeprefix(f"{folder}/"), file

    def _check(self, tar: tarfile.TarFile, progress: Progress) -> None:
        if missing := sorted(self.parts.keys() - self.places.keys()):
            raise CallerMistake(f"{self.path}: {missing[0]} is missing, and {len(missing) - 1} others")
        if strange := sorted(self.places.keys() - self.parts.keys()):
            raise CallerMistake(f"{self.path}: {strange[0]} is not in its list of contents")
        total, done = sum(place.size for place in self.places.values()), 0

        def tell(count: int) -> None:
            nonlocal done
            done += count
            progress(done, total)

        for name, part in self.parts.items():
            if not self.places[name].isfile() or name.startswith("/") or ".." in Path(name).parts:
                raise CallerMistake(f"{self.path}: {name} is not a plain part of a backup")
            with _part(tar, self.places[name]) as file:
                summing = Summing(file, tell)
                while summing.read(CHUNK):
                    pass
            if summing.sum.hexdigest() != part["sha256"]:
                raise CallerMistake(f"{self.path}: {name} is damaged: its sum is not the one in the list of contents")


@contextmanager
def _part(tar: tarfile.TarFile, place: tarfile.TarInfo) -> Iterator[IO[bytes]]:
    """The content of the part, opened by its TarInfo, since looking up a name would search through all parts."""
    file = tar.extractfile(place)
    assert file is not None  # only plain files are in it
    with file:
        yield file


def _contents(tar: tarfile.TarFile, place: tarfile.TarInfo | None) -> dict[str, Any]:
    if place is None:
        raise tarfile.TarError("its list of contents, at the end, is missing")
    with _part(tar, place) as file:
        try:
            facts = json.loads(file.read())
        except ValueError as error:
            raise tarfile.TarError(f"its list of contents can't be read: {error}") from error
    if facts.get("format") != FORMAT:
        raise CallerMistake(f"a backup of format {facts.get('format')}: this version reads format {FORMAT}")
    return facts
