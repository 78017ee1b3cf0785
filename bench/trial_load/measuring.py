"""A visitor whose every request is timed, and what is said of such times."""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException

import numpy as np

from humantrials.simulation.visitor import Reply, Visitor


@dataclass
class Clock:
    """Times in seconds by kind, and what went wrong; many threads write into one."""

    times: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, kind: str, seconds: float) -> None:
        with self.lock:
            self.times.setdefault(kind, []).append(seconds)

    def fail(self, what: str) -> None:
        with self.lock:
            self.errors.append(what)

    def summary(self, kind: str) -> dict[str, float]:
        """Median, 95th and 99th percentile in milliseconds."""
        found = 1000 * np.quantile(self.times[kind], [0.5, 0.95, 0.99])
        return {f"{kind}_{name}_ms": round(float(value), 1) for name, value in zip(("p50", "p95", "p99"), found)}


class TimedVisitor(Visitor):
    """Notes every failed try: `Visitor` itself is patient and tries again."""

    def __init__(self, base_url: str, clock: Clock) -> None:
        super().__init__(base_url)
        self.clock = clock

    def timed_get(self, kind: str, path: str) -> Reply:
        began = time.perf_counter()
        reply = self.get(path)
        self.clock.note(kind, time.perf_counter() - began)
        return reply

    def timed_post(self, kind: str, path: str, fields: Mapping[str, str]) -> Reply:
        """From the press to the next page."""
        began = time.perf_counter()
        reply = self.post(path, fields)
        self.clock.note(kind, time.perf_counter() - began)
        return reply

    def _once(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[Reply, str]:
        try:
            reply, location = super()._once(method, path, body, headers)
        except (OSError, HTTPException) as error:
            self.clock.fail(f"{method} {path}: {error!r}")
            raise
        if reply.status >= 400:
            self.clock.fail(f"{method} {path}: status {reply.status}")
        return reply, location


def load_now() -> float:
    """Processes that wanted a core in the last minute."""
    return round(os.getloadavg()[0], 2)


def middle(values: Sequence[float]) -> float:
    return round(float(np.median(values)), 1)
