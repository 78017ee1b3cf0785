"""Visitors whose requests are timed, and what must hold after their visit.

Readers come at a fixed rate, timed from the moment when a request was due; participants and submitters one by one.
"""

import json
import os
import random
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from humantrials.simulation.browser import JSON, PIECE, PageReader, PageReply, SiteAway, Visitor

READERS = 16  # threads
TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # sites are asked by http; certificates would be read for each client
PEOPLE, PAGES, PAUSE = 4, 4.0, 0.4  # participants; pages a second; seconds between two answers
SEND_EVERY, PATIENCE = 4.0, 300.0  # seconds; the latter is enough on a busy machine
ANSWER = {"answer": "yes", "seconds": "10.0", "watched": "1.000", "clock": "frame"}
AFTERWARDS = 20  # pages that must all work once the site is back


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


def at_pace(rate: float, seconds: float, threads: int, act: Callable[[int, float], None]) -> None:
    """Call `act(number, due)` at this rate for so many seconds, at the moments of a Poisson process."""
    rng, due, moments = random.Random(1), time.perf_counter(), []
    end = due + seconds
    while (due := due + rng.expovariate(rate)) < end:
        moments.append(due)

    def act_then(number: int) -> None:
        time.sleep(max(0.0, moments[number] - time.perf_counter()))
        act(number, moments[number])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(act_then, range(len(moments))))


def read(base: str, addresses: Sequence[str], rate: float, seconds: float, clock: Timings) -> None:
    """Request these pages at this rate, timing boards and items separately."""
    limits = httpx.Limits(max_connections=READERS)
    with httpx.Client(base_url=base, timeout=60, limits=limits, verify=TLS) as reader:

        def look(number: int, due: float) -> None:
            address = addresses[number % len(addresses)]
            try:
                status = reader.get(address).status_code
            except httpx.HTTPError as error:
                clock.fail(f"GET {address}: {error!r}")
                return
            clock.note("board" if address.startswith("/leaderboard/") else "item", time.perf_counter() - due)
            if status != 200:
                clock.fail(f"GET {address}: status {status}")

        at_pace(rate, seconds, READERS, look)


def file_of(number: int, ids: Sequence[str], *, pack: str = "sent", seeds: int = 1) -> bytes:
    """A submission of raw replies to these items, of each seed."""
    header = {
        "benchmark": "grasp",
        "pack": pack,
        "model": f"Sent {number}",
        "strategy": "plausibility",
        "condition": "video",
        "split": "all",
    }
    rows = (
        {"item": each, "reply": f"Yes, it is {place}." if place % 2 else "No.", "seed": seed}
        for seed in range(seeds)
        for place, each in enumerate(ids)
    )
    return "".join(json.dumps(record) + "\n" for record in (header, *rows)).encode()


def send_one(base: str, key: str, content: bytes, clock: Timings) -> bool:
    """Send one submission; return whether it was acknowledged."""
    files, headers = {"file": ("answers.jsonl", content)}, {"Authorization": f"Token {key}"}
    began = time.perf_counter()
    try:
        answer = httpx.post(f"{base}/api/v1/submissions/", files=files, headers=headers, timeout=120, verify=TLS)
    except httpx.HTTPError as error:
        clock.fail(f"POST submissions: {error!r}")
        return False
    if answer.status_code not in (201, 202):
        clock.fail(f"POST submissions: status {answer.status_code} {answer.text[:100]}")
        return False
    clock.note("submission", time.perf_counter() - began)
    return True


@dataclass
class Seat:
    """A participant who has reached the clips."""

    visitor: TimedVisitor
    step_path: str
    positions: list[int]


def warm_up(base: str, people: int = 6) -> None:
    """Let people answer before measuring, so that every process of the site has served every page."""
    clock = Timings()
    for number in range(people):
        seat = arrive(base, "warm", number, clock)
        while seat.positions:
            answer(seat, time.perf_counter(), clock)


def arrive(base: str, slug: str, number: int, clock: Timings, kind: type[TimedVisitor] = TimedVisitor) -> Seat:
    """Take a new participant from the entry page to the first clip."""
    visitor = kind(base, clock)
    door = f"/t/{slug}/?participant=p{number}"
    page = PageReader(visitor.timed_get("door", door).text)
    if page.step != "consent":
        clock.fail(f"{door}: not the consent")
    path = visitor.timed_post("claim", door, {**page.fields, "choice": "yes"}).path
    page = PageReader(visitor.post(path, {"step": "instructions"}).text)
    visitor.close()  # idle until the first answer, longer than the server's keep-alive
    return Seat(visitor, path, page.positions)


def answer(seat: Seat, due: float, clock: Timings) -> None:
    position = seat.positions.pop(0)
    fields = {"position": str(position), **ANSWER}
    reply = seat.visitor.post(f"{seat.step_path}answer/", fields, JSON)
    clock.note("answer", time.perf_counter() - due)
    if f'"saved": {position}' not in reply.text:
        clock.fail(f"{position}: {reply.text[:80]}")
    began = time.perf_counter()
    seat.visitor.get(f"{seat.step_path}m/{position}", PIECE)
    clock.note("clip", time.perf_counter() - began)
    if not seat.positions:
        seat.visitor.close()


class RetryingVisitor(TimedVisitor):
    patience = PATIENCE


class Visitors:
    """All visitors, active until `go_home`; participants and submissions are numbered from `first`."""

    def __init__(
        self, base: str, addresses: list[str], keys: list[str], ids: list[str], log: Path, *, first: int = 0
    ) -> None:
        self.base, self.addresses, self.keys, self.ids, self.log, self.first = base, addresses, keys, ids, log, first
        self.clock, self.over = Timings(), threading.Event()
        self.sent: dict[str, int] = {}  # the acknowledged submissions, with their rows
        self.gave_up: list[str] = []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.read), threading.Thread(target=self.send)]
        self.threads += [threading.Thread(target=self.take_part, args=(first + each,)) for each in range(PEOPLE)]
        log.write_text("")
        for thread in self.threads:
            thread.start()

    def go_home(self) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()

    def acknowledged(self) -> int:
        """Number of answers that the site has acknowledged."""
        return len(self.log.read_text().splitlines())

    def read(self) -> None:
        while not self.over.is_set():
            read(self.base, self.addresses, PAGES, 2.0, self.clock)

    def take_part(self, first: int) -> None:
        """Fill one sheet after the other."""
        number = first
        while not self.over.is_set():
            try:
                self._one_sheet(number)
            except SiteAway as error:
                self.gave_up.append(str(error))
            number += PEOPLE

    def _one_sheet(self, number: int) -> None:
        seat = arrive(self.base, "besieged", number, self.clock, RetryingVisitor)
        token = seat.step_path.strip("/").split("/")[1]
        while seat.positions and not self.over.is_set():
            position = seat.positions.pop(0)
            fields = {"position": str(position), **ANSWER}
            reply = seat.visitor.post(f"{seat.step_path}answer/", fields, JSON)
            if f'"saved": {position}' in reply.text:
                self._write({"token": token, "position": position, "answer": "yes"})
            elif reply.status == 409:  # the sheet went to somebody else
                break
            self.over.wait(PAUSE)
        seat.visitor.close()

    def _write(self, line: dict[str, Any]) -> None:
        with self.lock, self.log.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def send(self) -> None:
        """Send each file until it is acknowledged."""
        for number, key in enumerate(self.keys, self.first):
            deadline, content = time.monotonic() + PATIENCE, file_of(number, self.ids)
            while not send_one(self.base, key, content, self.clock):
                if time.monotonic() > deadline:
                    self.gave_up.append(f"submission {number}")
                    break
                time.sleep(1)
            else:
                self.sent[f"Sent {number}"] = len(self.ids)
            if self.over.wait(SEND_EVERY):
                return


def seconds_until_well(base: str, addresses: list[str]) -> float | None:
    """Seconds until the site is ready and shows its pages; None if it never does."""
    began = time.monotonic()
    with httpx.Client(base_url=base, timeout=30, verify=TLS) as reader:
        while time.monotonic() - began < PATIENCE:
            try:
                if all(reader.get(each).status_code == 200 for each in ("/readyz", *addresses[:6])):
                    return round(time.monotonic() - began, 1)
            except httpx.HTTPError:
                pass
            time.sleep(0.3)
    return None


def errors_afterwards(base: str, addresses: list[str]) -> int:
    clock = Timings()
    read(base, addresses, AFTERWARDS / 2, 2.0, clock)
    return len(clock.errors)


def waited(what: Any) -> bool:
    """Wait for a condition; return whether it came true in time."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.5)
    return False


def lost_submissions(sent: Mapping[str, int]) -> list[str]:
    """Acknowledged submissions that are not stored with all rows, after waiting for the worker."""
    from django.db.models import Count

    from evaluation.models import Run, Upload

    waited(lambda: not Upload.objects.filter(ended_at=None).exists())
    runs = Run.objects.filter(model__name__in=sent).annotate(rows=Count("cells__response"))
    stored = dict(runs.values_list("model__name", "rows"))
    return [name for name, rows in sent.items() if stored.get(name) != rows]


def findings(visitors: Visitors, run: Any, base: str) -> dict[str, int]:
    """Counts of violated invariants, which must all be zero after any fault."""
    from evaluation.models import ModelResponse
    from leaderboard.standings.refresh import stale_runs
    from tests.humantrials.crash_load import lost

    def is_finished() -> bool:
        run.refresh_from_db()
        return run.state == "finished"

    is_answered = waited(is_finished)
    responses = ModelResponse.objects.filter(cell__run=run).count()
    return {
        "run_not_finished": int(not is_answered),
        "questions_without_one_answer": abs(run.cells.count() - responses),
        "board_is_stale": int(not waited(lambda: not stale_runs().exists())),
        "lost_answers": len(lost(visitors.log)),
        "lost_submissions": len(lost_submissions(visitors.sent)),
        "gave_up": len(visitors.gave_up),
        "errors_afterwards": errors_afterwards(base, visitors.addresses),
    }
