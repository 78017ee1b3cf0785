"""A generator's clips as the site takes them: a ZIP in parts, which goes on where it broke off."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from benchsite_client.site import API, ClientError, Progress, Site

MANIFEST = "manifest.csv"
OPEN = ("sending", "waiting", "checking")


@dataclass(frozen=True)
class ClipSet:
    """A set that the site checked and stored: its page, its clips, and what is noted on its row."""

    page: str
    title: str
    clips: int
    notes: tuple[str, ...]


def send(site: Site, path: Path, begun: dict[str, Any], progress: Progress) -> ClipSet:
    """Send the archive, or the folder as one, and wait for its check; ClientError with `problems` if it is refused."""
    with _archive(path) as (name, file):
        size = file.seek(0, 2)
        found = site.call("POST", f"{API}/clipsets/", json={**begun, "name": name, "size": size})
        address = found["address"]
        while found["received"] < size:
            start = file.seek(found["received"])
            content = file.read(found["part"])
            place = {"Content-Range": f"bytes {start}-{start + len(content) - 1}/{size}"}
            found = site.call("PUT", address, good=(409,), content=content, headers=place)
            progress(found["received"], size)
    found = site.settled(found, lambda facts: facts["state"] not in OPEN, address)
    errors, notes = (_lines(found["findings"], weight) for weight in ("error", "note"))
    if found["state"] == "refused":
        raise ClientError(f"{path}: nothing was stored, {len(errors)} problem(s)", errors)
    return ClipSet(site.address + found["page"], found["title"], found["clips_total"], notes)


def _lines(findings: list[dict[str, str]], weight: str) -> tuple[str, ...]:
    return tuple(f"{finding['place']}: {finding['text']}" for finding in findings if finding["weight"] == weight)


@contextmanager
def _archive(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """The name and bytes of an archive. A folder gives the same bytes each time, so that a second call goes on."""
    if not path.is_dir():
        with path.open("rb") as file:
            yield path.name, file
        return
    if not (path / MANIFEST).is_file():
        raise ClientError(f"{path}: has no {MANIFEST}")
    with TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            for one in sorted(path.rglob("*")):
                if one.is_file() and not one.name.startswith("."):
                    entry = zipfile.ZipInfo(one.relative_to(path).as_posix())
                    entry.file_size = one.stat().st_size
                    with one.open("rb") as source, archive.open(entry, "w") as target:
                        shutil.copyfileobj(source, target)
        yield f"{path.resolve().name}.zip", file
