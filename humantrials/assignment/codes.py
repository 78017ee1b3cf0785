"""Random names and codes that reveal nothing."""

import secrets

READABLE = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without look-alikes such as O and 0


def _random(length: int) -> str:
    return "".join(secrets.choice(READABLE) for _ in range(length))


def token() -> str:
    """The key in a participant's address: 256 random bits."""
    return secrets.token_urlsafe(32)


def public_code() -> str:
    """The name that exports give to a person."""
    return f"P{_random(9)}"


def completion_code() -> str:
    """The code that the person gives the panel. Without a prefix it means that all answers are stored."""
    return _random(8)


def partial_code(done: str, count: str = "") -> str:
    """The code for part of a sheet: `done` and a random part, which is kept if `count` is an earlier code."""
    return f"{done}-{count.rpartition('-')[2] or _random(8)}"


def receipt_code() -> str:
    """The code with which the person can have their answers deleted: 100 random bits, in groups to write down."""
    return "-".join(_random(5) for _ in range(4))
