"""Public ids of items: random, so that nobody can derive them from public data."""

from base64 import b32encode
from secrets import token_bytes

CHARACTERS = 12


def new_public_id() -> str:
    """60 random bits as twelve letters and digits."""
    return b32encode(token_bytes(8)).decode().lower()[:CHARACTERS]
