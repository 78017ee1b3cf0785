"""An object store for tests: moto's server, which keeps everything in memory and speaks S3's protocol."""

from unittest.mock import patch
from urllib.parse import quote

import boto3

from benchsite.serving.serve import free_port

KEY, SECRET, BUCKET = "tester", "tester's /secret", "clips"


def address_of(endpoint: str, bucket: str = BUCKET) -> str:
    """MEDIA_STORE for this bucket of the server at `http://HOST:PORT`."""
    return f"s3+http://{KEY}:{quote(SECRET, safe='')}@{endpoint.removeprefix('http://')}/{bucket}"


def client(endpoint: str):
    names = {"aws_access_key_id": KEY, "aws_secret_access_key": SECRET}
    return boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **names)


def make_bucket(endpoint: str, name: str) -> str:
    client(endpoint).create_bucket(Bucket=name)
    return name


def point_to(settings, endpoint: str) -> None:
    """Make this test's site store its media there."""
    from benchsite.settings import env  # reads all settings, so import it after benches have chosen their folder

    with patch.dict("os.environ", MEDIA_STORE=address_of(endpoint)):
        options = env.object_store("MEDIA_STORE", "folder")
    settings.STORAGES = settings.STORAGES | {"default": {"BACKEND": "benchmarks.storage.s3.Bucket", "OPTIONS": options}}
    settings.MEDIA_STORE, settings.MEDIA_STORE_SECONDS = "s3", 1


def closed_port() -> str:
    """An address where nothing listens."""
    return f"http://127.0.0.1:{free_port('127.0.0.1')}"
