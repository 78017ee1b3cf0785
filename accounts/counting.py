"""Counts calls in windows of time: with Redis those of all web processes together, else of each."""

import time
from dataclasses import dataclass

from django.core.cache import caches


@dataclass(frozen=True)
class Entry:
    """Whether a call is allowed, and the seconds until the next window begins."""

    is_let_in: bool
    wait: float


def enter(key: str, *, limit: int, seconds: float, now: float | None = None) -> Entry:
    """Count a call under this key, atomically; while Redis is away all calls are let in."""
    at, calls = time.time() if now is None else now, caches["limits"]
    window = f"{key}:{at // seconds:.0f}"
    calls.add(window, 0, timeout=2 * seconds)
    try:
        count = calls.incr(window)
    except ValueError:  # removed in between, since the cache is full
        count = None
    return Entry((count or 0) <= limit, seconds - at % seconds)
