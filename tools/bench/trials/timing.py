"""A visitor whose requests are timed, and summaries of the times."""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path

import numpy as np

from humantrials.simulation.browser import PageReply, Visitor


@dataclass
class Timings:
    """Times in seconds by kind, and errors; thread-safe."""

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
        """Median, 95th and 99th percentile of this kind's times, in milliseconds."""
        found = 1000 * np.quantile(self.times[kind], [0.5, 0.95, 0.99])
        return {f"{kind}_{name}_ms": round(float(value), 1) for name, value in zip(("p50", "p95", "p99"), found)}


class TimedVisitor(Visitor):
    """A visitor that records every failed attempt, which `Visitor` itself silently retries."""

    def __init__(self, base_url: str, clock: Timings) -> None:
        super().__init__(base_url)
        self.clock = clock

    def timed_get(self, kind: str, path: str) -> PageReply:
        began = time.perf_counter()
        reply = self.get(path)
        self.clock.note(kind, time.perf_counter() - began)
        return reply

    def timed_post(
        self, kind: str, path: str, fields: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> PageReply:
        """Post a form, timed until the next page has arrived."""
        began = time.perf_counter()
        reply = self.post(path, fields, headers)
        self.clock.note(kind, time.perf_counter() - began)
        return reply

    def _once(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[PageReply, str]:
        try:
            reply, location = super()._once(method, path, body, headers)
        except (OSError, HTTPException) as error:
            self.clock.fail(f"{method} {path}: {error!r}")
            raise
        if reply.status >= 400:
            self.clock.fail(f"{method} {path}: status {reply.status}")
        return reply, location


def load_now() -> float:
    """The load average of the last minute."""
    return round(os.getloadavg()[0], 2)


def processor_seconds(sessions: Sequence[int]) -> float:
    """User and system time of all threads of the living processes of these sessions."""
    used = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()  # the name before it may contain spaces
        except OSError:  # the process has just ended
            continue
        if int(fields[3]) in sessions:
            used += int(fields[11]) + int(fields[12])
    return used / os.sysconf("SC_CLK_TCK")


def middle(values: Sequence[float]) -> float:
    return round(float(np.median(values)), 1)
