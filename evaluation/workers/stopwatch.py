"""Measures how a worker spends its time."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Seconds by activity (decode, model, write); the rest of the time counts as waiting.

    Time in an activity within another one counts for the inner one alone.
    """

    def __init__(self) -> None:
        self.started_at = time.monotonic()
        self._spent: dict[str, float] = defaultdict(float)

    @contextmanager
    def during(self, what: str) -> Iterator[None]:
        began, before = time.monotonic(), sum(self._spent.values())
        try:
            yield
        finally:
            within = sum(self._spent.values()) - before
            self._spent[what] += time.monotonic() - began - within

    def spent(self, what: str) -> float:
        """The seconds of this activity since the last `take`."""
        return self._spent[what]

    def take(self) -> dict[str, float]:
        """The seconds since the last call, by activity; restarts from zero."""
        now = time.monotonic()
        spent = {what: self._spent[what] for what in ("decode", "model", "write")}
        spent["wait"] = max(0.0, now - self.started_at - sum(spent.values()))
        self.started_at = now
        self._spent.clear()
        return spent
