"""A bucket of an S3-compatible store as Django's file storage, whose troubles are told in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from tempfile import TemporaryFile
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.exceptions import BotoCoreError, ClientError
from django.core.files import File
from storages.backends.s3 import S3Storage
from urllib3.exceptions import HTTPError

from benchmarks.errors import StoreAway

NOT_THERE = ("404", "NoSuchKey", "NotFound")


class NotStored(FileNotFoundError):
    """The store answers, and has no such file."""


@contextmanager
def asked() -> Iterator[None]:
    """What the store says when it does not do as it is asked: NotStored, or StoreAway in one sentence."""
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
    """What uploads and reports are kept in; FileNotFoundError where nothing is stored, else StoreAway."""

    @property
    def client(self) -> Any:
        return self.connection.meta.client

    def _open(self, name: str, mode: str = "rb") -> File:
        held = TemporaryFile()  # noqa: SIM115  (closed with the File that is given)
        with asked():
            self.client.download_fileobj(self.bucket_name, name, held)
        held.seek(0)
        return File(held, name)

    def _save(self, name: str, content: File) -> str:
        with asked():
            return super()._save(name, content)

    def exists(self, name: str) -> bool:
        with asked():
            return super().exists(name)

    def delete(self, name: str) -> None:
        with asked():
            super().delete(name)

    def listdir(self, name: str) -> tuple[list[str], list[str]]:
        with asked():
            return super().listdir(name)

    def get_modified_time(self, name: str) -> datetime:
        with asked():
            return super().get_modified_time(name)
