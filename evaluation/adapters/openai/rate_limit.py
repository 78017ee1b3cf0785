"""Limits the requests in flight: one more after each round that goes well, half as many when the server is overloaded.

Additive increase, multiplicative decrease (Chiu and Jain 1989), as in TCP: this finds the server's capacity and shares
it fairly with other clients that use the same rule.
"""

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

START = 4.0
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0  # seconds


class Throttle:
    """The limit within one event loop; the caller passes `limit` on to the next loop."""

    def __init__(self, most: int, limit: float = START) -> None:
        self.most, self.limit, self.in_flight = most, min(limit, float(most)), 0
        self._quiet_until = self._lowered_at = 0.0
        self._again = 0  # requests waiting to be sent again
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def slot(self, *, again: bool = False) -> AsyncIterator[float]:
        """Wait until one more request may be sent, one sent `again` before all others; yields the time of sending."""
        self._again += again
        try:
            await self._turn(again)
            self.in_flight += 1
        finally:
            self._again -= again
            self._changed.set()
        try:
            yield time.monotonic()
        finally:
            self.in_flight -= 1
            self._changed.set()

    async def _turn(self, again: bool) -> None:
        while (quiet := self._quiet_until - time.monotonic()) > 0 or not self._is_free(again):
            if quiet > 0:
                await asyncio.sleep(quiet)
            else:
                self._changed.clear()
                await self._changed.wait()

    def _is_free(self, again: bool) -> bool:
        return self.in_flight < int(self.limit) and (again or not self._again)

    def went_well(self) -> None:
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._changed.set()

    def was_too_much(self, sent_at: float, quiet_seconds: float = 0.0) -> None:
        """Halve the limit once for all requests in flight together, and pause sending for `quiet_seconds`."""
        if sent_at >= self._lowered_at:
            self.limit, self._lowered_at = max(1.0, self.limit / 2), time.monotonic()
        self._quiet_until = max(self._quiet_until, time.monotonic() + quiet_seconds)


def backoff(attempt: int) -> float:
    """Seconds to wait before attempt 2, 3, …: random up to a doubling bound, so that clients don't retry together."""
    return random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))  # noqa: S311
