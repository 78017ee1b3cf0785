"""Random names and codes: none of them tells anything."""

import secrets

READABLE = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # without what looks like something else


def _random(length: int) -> str:
    return "".join(secrets.choice(READABLE) for _ in range(length))


def token() -> str:
    """The key in a participant's address: 256 random bits."""
    return secrets.token_urlsafe(32)


def public_code() -> str:
    """The name that exports give to a person."""
    return f"P{_random(9)}"


def completion_code() -> str:
    """What the panel wants to see."""
    return _random(8)


def receipt_code() -> str:
    """What the person keeps to have their answers deleted: as hard to guess as a token, in groups to write down."""
    return "-".join(_random(5) for _ in range(4))
