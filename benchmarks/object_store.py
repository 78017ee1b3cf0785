"""Stored files in an S3-compatible store, with copies on this machine of what is opened here.

The store may be slow or away: every call ends within MEDIA_STORE_SECONDS and raises StoreAway, which pages answer with
503 and runs with a rest. Copies are of files whose content never changes; the folder of copies is bounded.
"""

import mimetypes
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.storage import storages

from benchmarks.bounded_folder import BoundedFolder, was_used
from benchmarks.bucket import NotStored, asked
from benchmarks.media_store import staging

CHUNK = 64 * 1024
AT_ONCE = 8  # uploads
COPIES = BoundedFolder(
    root=lambda: Path(settings.MEDIA_ROOT) / "copies", bound=lambda: settings.MEDIA_COPIES_MB * 1_000_000
)


class ObjectStore:
    """Names are keys of the bucket that STORAGES names."""

    def __init__(self) -> None:
        self._storage: Any = storages["default"]

    @property
    def _client(self) -> Any:
        return self._storage.client

    def local(self, name: str) -> Path:
        """A copy on this machine, fetched when it is not there; a path without a file where the store has none."""
        place = COPIES.root() / name
        try:
            was_used(place)
        except FileNotFoundError:
            self._fetch(name, place)
        return place

    def _fetch(self, name: str, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        with staging() as folder:
            copy = folder / place.name
            try:
                with asked():
                    self._client.download_file(self._storage.bucket_name, name, str(copy))
            except NotStored:
                return
            with COPIES.room_for(copy.stat().st_size):
                was_used(copy)
                os.replace(copy, place)

    def size(self, name: str) -> int | None:
        try:
            with asked():
                return self._client.head_object(Bucket=self._storage.bucket_name, Key=name)["ContentLength"]
        except NotStored:
            return None

    def pieces(self, name: str, start: int, end: int) -> Iterator[bytes]:
        """The bytes from start to end, both included; asked for at once: a refusal must be told before the headers."""
        with asked():
            part = self._client.get_object(Bucket=self._storage.bucket_name, Key=name, Range=f"bytes={start}-{end}")
        return _read(part["Body"])

    def put(self, files: Mapping[Path, str]) -> None:
        """Send every file, several at once; if one can't be sent, take back those that were."""
        send = partial(_send, self._client, self._storage.bucket_name)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            going = {name: pool.submit(send, path, name) for path, name in files.items()}
        if mistakes := [error for one in going.values() if (error := one.exception())]:
            self.remove(name for name, one in going.items() if one.exception() is None)
            raise mistakes[0]

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            (COPIES.root() / name).unlink(missing_ok=True)
            with asked():
                self._client.delete_object(Bucket=self._storage.bucket_name, Key=name)

    def names(self, start: str) -> list[str]:
        with asked():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._storage.bucket_name, Prefix=start
            )
            return [found["Key"] for page in pages for found in page.get("Contents", ())]

    def accelerated(self, name: str) -> str:
        """Where nginx finds the file (docker/nginx.conf): the store's address of it, signed for a few minutes."""
        address = urlsplit(self._storage.url(name))
        return f"/stored{address.path}?{address.query}"


def _send(client: Any, bucket: str, path: Path, name: str) -> None:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    with asked():
        client.upload_file(str(path), bucket, name, ExtraArgs={"ContentType": kind})


def _read(body: Any) -> Iterator[bytes]:
    with body, asked():
        yield from body.iter_chunks(CHUNK)
