"""Readers at a fixed rate, timed from the moment when a request was due; participants and submitters, one by one."""

import json
import random
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx

from humantrials.simulation.browser import JSON, PIECE, PageReader
from tools.bench.trials.timing import TimedVisitor, Timings

READERS = 16  # threads
TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # sites are asked by http; certificates would be read for each client


def at_pace(rate: float, seconds: float, threads: int, act: Callable[[int, float], None], seed: int = 1) -> None:
    """Call `act(number, due)` at this rate for so many seconds, at the moments of a Poisson process."""
    rng, due, moments = random.Random(seed), time.perf_counter(), []
    end = due + seconds
    while (due := due + rng.expovariate(rate)) < end:
        moments.append(due)
    numbered, lock = iter(enumerate(moments)), threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number, moment = next(numbered, (0, 0.0))
            if not moment:
                return
            time.sleep(max(0.0, moment - time.perf_counter()))
            act(number, moment)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


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


@dataclass
class Sent:
    """The submissions that the site acknowledged, with their rows."""

    acknowledged: dict[str, int] = field(default_factory=dict)


def file_of(number: int, ids: Sequence[str]) -> bytes:
    header = {
        "benchmark": "grasp",
        "pack": "sent",
        "model": f"Sent {number}",
        "strategy": "plausibility",
        "condition": "video",
        "split": "all",
    }
    rows = ({"item": each, "reply": "Yes, it is." if place % 2 else "No."} for place, each in enumerate(ids))
    return "".join(json.dumps(record) + "\n" for record in (header, *rows)).encode()


def send_one(base: str, key: str, number: int, ids: Sequence[str], sent: Sent, clock: Timings) -> bool:
    """Send one submission; return whether it was acknowledged."""
    files, headers = {"file": ("answers.jsonl", file_of(number, ids))}, {"Authorization": f"Token {key}"}
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
    sent.acknowledged[f"Sent {number}"] = len(ids)
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
    fields = {"position": str(position), "answer": "yes", "seconds": "10.0", "watched": "1.000", "clock": "frame"}
    reply = seat.visitor.post(f"{seat.step_path}answer/", fields, JSON)
    clock.note("answer", time.perf_counter() - due)
    if f'"saved": {position}' not in reply.text:
        clock.fail(f"{position}: {reply.text[:80]}")
    began = time.perf_counter()
    seat.visitor.get(f"{seat.step_path}m/{position}", PIECE)
    clock.note("clip", time.perf_counter() - began)
    if not seat.positions:
        seat.visitor.close()
