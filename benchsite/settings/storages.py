"""Where files are stored: in a folder, or in an S3-compatible store that several machines share."""

from typing import Any

from benchsite.settings import env

SIGNED_FOR = 300  # seconds that a signed URL for nginx is valid; it is used at once


def folder() -> dict[str, Any]:
    return {"BACKEND": "benchmarks.storage.folder.MediaFolder"}


def bucket() -> dict[str, Any]:
    """The store named by MEDIA_S3_*; missing or wrong values stop the start."""
    from botocore.config import Config  # loaded only for such a store

    seconds = env.count("MEDIA_STORE_SECONDS", 10)
    return {
        "BACKEND": "benchmarks.storage.s3.Bucket",
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
                request_checksum_calculation="when_required",  # otherwise stores other than Amazon's refuse the request
                response_checksum_validation="when_required",
            ),
        },
    }
