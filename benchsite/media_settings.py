"""Where stored files go: a folder, or an S3-compatible store of objects that several machines share."""

from typing import Any

from benchsite import env

SIGNED_FOR = 300  # seconds that an address holds which nginx is told; it is used at once


def folder() -> dict[str, Any]:
    return {"BACKEND": "django.core.files.storage.FileSystemStorage"}


def bucket() -> dict[str, Any]:
    """The store that MEDIA_S3_* name; wrong or missing ones stop the start."""
    from botocore.config import Config  # loaded only where there is such a store

    seconds = env.count("MEDIA_STORE_SECONDS", 10)
    return {
        "BACKEND": "benchmarks.bucket.Bucket",
        "OPTIONS": {
            "bucket_name": env.needed("MEDIA_S3_BUCKET", "MEDIA_STORE=s3"),
            "endpoint_url": env.address("MEDIA_S3_ENDPOINT", "MEDIA_STORE=s3"),
            "access_key": env.needed("MEDIA_S3_KEY", "MEDIA_STORE=s3"),
            "secret_key": env.needed("MEDIA_S3_SECRET", "MEDIA_STORE=s3"),
            "region_name": env.text("MEDIA_S3_REGION", "us-east-1"),
            "addressing_style": "path",
            "signature_version": "s3v4",
            "default_acl": None,
            "file_overwrite": True,
            "querystring_expire": SIGNED_FOR,
            "client_config": Config(
                signature_version="s3v4",
                s3={"addressing_style": "path"},
                connect_timeout=seconds,
                read_timeout=seconds,
                retries={"total_max_attempts": 2, "mode": "standard"},
                request_checksum_calculation="when_required",  # else stores that are not Amazon's refuse
                response_checksum_validation="when_required",
            ),
        },
    }
