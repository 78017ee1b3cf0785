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
    """The code that the person shows the panel: letters and digits alone say that all answers are stored."""
    return _random(8)


def partial_code(done: str, count: str = "") -> str:
    """The code of somebody who is not done, which begins with what they did; `given` keeps its random part."""
    return f"{done}-{count.rpartition('-')[2] or _random(8)}"


def receipt_code() -> str:
    """The code with which the person can have their answers deleted: 100 random bits, in groups to write down."""
    return "-".join(_random(5) for _ in range(4))
