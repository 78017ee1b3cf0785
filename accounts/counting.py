"""Counts calls over all web processes atomically, so that two calls never share the last place."""

import time
from dataclasses import dataclass

from django.core.cache import caches

SKEW = 1  # seconds that machines' clocks may differ; a time further ahead is from before a clock was set back


@dataclass(frozen=True)
class Entry:
    """Whether a call is allowed, and the times of allowed calls, newest first."""

    is_let_in: bool
    times: list[float]


def enter(key: str, *, limit: int, seconds: float, now: float | None = None) -> Entry:
    """Count a call under this key; refused calls are not counted."""
    at = time.time() if now is None else now
    found = Entry(False, [])

    def counted(times: list[float] | None) -> list[float]:
        """The new times; called again if another process wrote in between."""
        nonlocal found
        lately = [each for each in times or [] if at - seconds < each <= at + SKEW]
        is_let_in = len(lately) < limit
        found = Entry(is_let_in, [at, *lately] if is_let_in else lately)
        return found.times

    caches["limits"].change(key, counted, timeout=seconds)  # type: ignore[attr-defined]  # benchsite/web/fail_open_caches.py
    return found
