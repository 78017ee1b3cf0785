"""A media store in an S3-compatible bucket, with local copies of the files opened here.

If the store is slow or away, every call raises StoreAway within seconds; then pages answer 503 and runs
pause. Only files whose content never changes are copied; the folder of copies has a size limit.
"""

import mimetypes
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlsplit

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from storages.backends.s3 import S3Storage
from urllib3.exceptions import HTTPError

from benchmarks.errors import StoreAway
from benchmarks.policy import KILOBYTE
from benchmarks.storage.disk_cache import BoundedFolder, was_used
from benchmarks.storage.store import staging

SIGNED_FOR = 300  # seconds that a signed URL for nginx is valid; it is used at once
NOT_THERE = ("404", "NoSuchKey", "NotFound")


class NotStored(FileNotFoundError):
    """The store answers but does not have the file."""


@contextmanager
def client_errors() -> Iterator[None]:
    """Translate errors of the client into NotStored, or StoreAway with a one-sentence message."""
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", "no code"))
        if code in NOT_THERE:
            raise NotStored(code) from None
        raise StoreAway(f"the media store refuses: {code}") from error
    except (BotoCoreError, Boto3Error, HTTPError) as error:
        raise StoreAway(f"the media store is slow or away: {type(error).__name__}") from error


class Bucket(S3Storage):
    """Storage for uploads and reports; raises FileNotFoundError if nothing is stored, StoreAway on other errors."""

    def get_default_settings(self) -> dict[str, Any]:
        seconds = settings.MEDIA_STORE_SECONDS
        config = Config(
            signature_version="s3v4",
            s3={"addressing_style": "path"},
            connect_timeout=seconds,
            read_timeout=seconds,
            retries={"total_max_attempts": 2, "mode": "standard"},
            request_checksum_calculation="when_required",  # otherwise stores other than Amazon's refuse the request
            response_checksum_validation="when_required",
        )
        own = {"addressing_style": "path", "signature_version": "s3v4", "default_acl": None, "client_config": config}
        return super().get_default_settings() | own | {"file_overwrite": True, "querystring_expire": SIGNED_FOR}

    @property
    def client(self) -> Any:
        return self.connection.meta.client

    def _open(self, name: str, mode: str = "rb") -> File:
        held = TemporaryFile()  # noqa: SIM115  (closed with the File that is given)
        with client_errors():
            self.client.download_fileobj(self.bucket_name, name, held)
        held.seek(0)
        return File(held, name)

    def _save(self, name: str, content: File) -> str:
        with client_errors():
            return super()._save(name, content)

    def exists(self, name: str) -> bool:
        with client_errors():
            return super().exists(name)

    def delete(self, name: str) -> None:
        with client_errors():
            super().delete(name)

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with client_errors():
            return super().listdir(name)

    def get_modified_time(self, name: str) -> datetime:
        with client_errors():
            return super().get_modified_time(name)


CHUNK = 64 * KILOBYTE
AT_ONCE = 8  # uploads
COPIES = BoundedFolder(root=lambda: Path(settings.MEDIA_ROOT) / "copies", bound=lambda: settings.CACHE_MB * 1_000_000)


class ObjectStore:
    """Names are keys in the bucket configured in STORAGES."""

    def __init__(self) -> None:
        self._storage: Any = storages["default"]

    @property
    def _client(self) -> Any:
        return self._storage.client

    def local(self, name: str) -> Path:
        """The path of a local copy, downloaded if needed; no file exists there if the store has none."""
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
                with client_errors():
                    self._client.download_file(self._storage.bucket_name, name, str(copy))
            except NotStored:
                return
            with COPIES.room_for(copy.stat().st_size):
                was_used(copy)
                os.replace(copy, place)

    def size(self, name: str) -> int | None:
        try:
            with client_errors():
                return self._client.head_object(Bucket=self._storage.bucket_name, Key=name)["ContentLength"]
        except NotStored:
            return None

    def pieces(self, name: str, start: int, end: int) -> Iterator[bytes]:
        """The bytes from start to end, both included; requested at once, so that errors occur before the headers."""
        with client_errors():
            part = self._client.get_object(Bucket=self._storage.bucket_name, Key=name, Range=f"bytes={start}-{end}")
        return _read(part["Body"])

    def put(self, files: Mapping[Path, str]) -> None:
        """Upload the files in parallel; if one fails, remove those already uploaded."""
        send = partial(_send, self._client, self._storage.bucket_name)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            going = {name: pool.submit(send, path, name) for path, name in files.items()}
        if mistakes := [error for one in going.values() if (error := one.exception())]:
            self.remove(name for name, one in going.items() if one.exception() is None)
            raise mistakes[0]

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            (COPIES.root() / name).unlink(missing_ok=True)
            with client_errors():
                self._client.delete_object(Bucket=self._storage.bucket_name, Key=name)

    def names(self, start: str) -> list[str]:
        with client_errors():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._storage.bucket_name, Prefix=start
            )
            return [found["Key"] for page in pages for found in page.get("Contents", ())]

    def accelerated(self, name: str) -> str:
        """The internal nginx location of the file (docker/nginx.conf): its store URL, signed for a few minutes."""
        address = urlsplit(self._storage.url(name))
        return f"/stored{address.path}?{address.query}"


def _send(client: Any, bucket: str, path: Path, name: str) -> None:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    with client_errors():
        client.upload_file(str(path), bucket, name, ExtraArgs={"ContentType": kind})


def _read(body: Any) -> Iterator[bytes]:
    with body, client_errors():
        yield from body.iter_chunks(CHUNK)
