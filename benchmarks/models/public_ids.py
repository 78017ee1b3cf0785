"""Public ids of items: random, so that nobody can derive them from public data."""

from base64 import b32encode
from secrets import token_bytes
from typing import Any

from django.db import models

CHARACTERS = 12


def new_public_id() -> str:
    """60 random bits as twelve letters and digits."""
    return b32encode(token_bytes(8)).decode().lower()[:CHARACTERS]


class RandomId(models.Func):
    """A random id (48 bits) made by the database, for rows inserted by an older release without this column."""

    output_field = models.CharField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return "lower(hex(randomblob(6)))", []

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return "left(replace(gen_random_uuid()::text, '-', ''), 12)", []
