"""Measures how a worker spends its time."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Seconds by activity (decode, model, write); the rest of the time counts as waiting."""

    def __init__(self) -> None:
        self.started_at = time.monotonic()
        self._spent: dict[str, float] = defaultdict(float)

    @contextmanager
    def during(self, what: str) -> Iterator[None]:
        before = time.monotonic()
        try:
            yield
        finally:
            self._spent[what] += time.monotonic() - before

    def take(self) -> dict[str, float]:
        """The seconds since the last call, by activity; restarts from zero."""
        now = time.monotonic()
        spent = {what: self._spent[what] for what in ("decode", "model", "write")}
        spent["wait"] = max(0.0, now - self.started_at - sum(spent.values()))
        self.started_at = now
        self._spent.clear()
        return spent
