"""Who calls, and how often: the caller's address behind our own proxies, and calls counted in windows of time."""

import time
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest


def address_of(request: HttpRequest) -> str:
    """The address seen by the outermost of our proxies; addresses that a caller adds are ignored."""
    seen = [word.strip() for word in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if word.strip()]
    if not settings.PROXIES or not seen:
        return str(request.META.get("REMOTE_ADDR", ""))
    return seen[-min(settings.PROXIES, len(seen))]


@dataclass(frozen=True)
class Entry:
    """Whether a call is allowed, and the seconds until the next window begins."""

    is_let_in: bool
    wait: float


def enter(key: str, *, limit: int, seconds: float, now: float | None = None) -> Entry:
    """Count a call under this key, atomically, with Redis for all web processes together, else for each.

    While Redis is away all calls are let in.
    """
    at, calls = time.time() if now is None else now, caches["limits"]
    window = f"{key}:{at // seconds:.0f}"
    calls.add(window, 0, timeout=2 * seconds)
    try:
        count = calls.incr(window)
    except ValueError:  # removed in between, since the cache is full
        count = None
    return Entry(not count or count <= limit, seconds - at % seconds)
