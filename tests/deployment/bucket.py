"""An object store for tests: moto's server, which keeps everything in memory and speaks S3's protocol."""

from unittest.mock import patch

import boto3

from benchsite.supervisor.serve import free_port

ENVIRONMENT = {
    "MEDIA_STORE": "s3",
    "MEDIA_S3_BUCKET": "clips",
    "MEDIA_S3_KEY": "tester",
    "MEDIA_S3_SECRET": "tester's secret",
    "MEDIA_STORE_SECONDS": "1",
}


def client(endpoint: str):
    return boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=ENVIRONMENT["MEDIA_S3_KEY"],
        aws_secret_access_key=ENVIRONMENT["MEDIA_S3_SECRET"],
    )


def make_bucket(endpoint: str, name: str) -> str:
    client(endpoint).create_bucket(Bucket=name)
    return name


def point_to(settings, endpoint: str) -> None:
    """Make this test's site store its media there."""
    from benchsite.settings import storages  # reads all settings, so import it after benches have chosen their folder

    with patch.dict("os.environ", ENVIRONMENT | {"MEDIA_S3_ENDPOINT": endpoint}):
        settings.STORAGES = settings.STORAGES | {"default": storages.bucket()}
    settings.MEDIA_STORE = "s3"


def closed_port() -> str:
    """An address where nothing listens."""
    return f"http://127.0.0.1:{free_port('127.0.0.1')}"
