"""`python -m bench.trial_load.offered [--database sqlite|postgres]`: so many answers a second, come what may.

Answers fall due by a Poisson process and are timed from when they were due, so a site that falls behind can't hide it
(no "coordinated omission"). With every answer the next clip's first piece is fetched; people arrive one for sixteen
answers, and the request that claims their sheet is timed, too. One JSON object a database.
"""

import json
import queue
import random
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

from bench.trial_load.measuring import Clock, TimedVisitor, load_now
from humantrials.simulation.visitor import JSON, PIECE, PageReader
from tests.humantrials.apart import on_each_database, start_django

LIMIT = 60.0  # milliseconds that 95 of 100 answers and claims may take
SHEET = 16


@dataclass(frozen=True)
class Load:
    """What is offered."""

    rate: int = 50  # answers a second
    people: int = 110  # of 16 answers each; 120 sheets are there
    threads: int = 32
    seed: int = 1


@dataclass
class Seat:
    """Somebody who has reached the clips."""

    visitor: TimedVisitor
    road: str
    positions: list[int]


def main(arguments: list[str]) -> int:
    return on_each_database("bench.trial_load.offered", __doc__, asdict(Load()), arguments, here)


def here(asked: dict[str, Any]) -> int:
    load = Load(**asked)
    start_django()
    from django.db import connection

    from benchsite.processes import stop_all
    from benchsite.serving import free_port
    from tests.humantrials import siege

    port = free_port("127.0.0.1")
    keepers = siege.start_site(port)
    try:
        siege.prepare(siege.Load())
        siege.prepare(siege.Load(clips=1), slug="warm", name="warm")
        base = f"http://127.0.0.1:{port}"
        warm_up(base)
        before = load_now()
        clock, seconds = offer(base, load)
    finally:
        stop_all(list(keepers.values()))
    report = {"measure": "offered", "database": connection.vendor, **asdict(load), **facts(clock, seconds)}
    report |= {"load_before": before, "limit_ms": LIMIT, "ok": is_met(report)}
    print(json.dumps(report), flush=True)
    return 0 if report["ok"] else 1


def facts(clock: Clock, seconds: float) -> dict[str, Any]:
    answers = len(clock.times["answer"])
    found: dict[str, Any] = {"answers": answers, "answered_a_second": round(answers / seconds, 1)}
    for kind in ("answer", "claim", "door", "clip"):
        found |= clock.summary(kind)
    return found | {"errors": len(clock.errors), "first_errors": clock.errors[:3]}


def is_met(report: dict[str, Any]) -> bool:
    return report["answer_p95_ms"] < LIMIT and report["claim_p95_ms"] < LIMIT and not report["errors"]


def warm_up(base: str, people: int = 6) -> None:
    """Every process of the site has shown every page before anything is measured."""
    clock = Clock()
    for number in range(people):
        seat = arrive(base, "warm", number, clock)
        while seat.positions:
            answer(seat, time.perf_counter(), clock)


def offer(base: str, load: Load) -> tuple[Clock, float]:
    """Let people arrive, and post answers when they fall due."""
    clock, ready = Clock(), queue.Queue[Seat]()
    for number in range(load.threads):
        ready.put(arrive(base, "besieged", number, clock))
    rest = iter(range(load.threads, load.people))
    rng, due, times = random.Random(load.seed), time.perf_counter() + 0.5, []
    began = due
    for _ in range(load.people * SHEET):
        times.append(due)
        due += rng.expovariate(load.rate)
    newcomers = threading.Thread(target=keep_arriving, args=(base, rest, began, load, clock, ready))
    ticks, lock = iter(times), threading.Lock()
    threads = [threading.Thread(target=keep_answering, args=(ticks, lock, ready, clock)) for _ in range(load.threads)]
    for thread in (newcomers, *threads):
        thread.start()
    for thread in (newcomers, *threads):
        thread.join()
    return clock, time.perf_counter() - began


def keep_arriving(base: str, numbers, began: float, load: Load, clock: Clock, ready: "queue.Queue[Seat]") -> None:
    """One newcomer for every sixteen answers, at an even pace."""
    for place, number in enumerate(numbers):
        time.sleep(max(0.0, began + place * SHEET / load.rate - time.perf_counter()))
        ready.put(arrive(base, "besieged", number, clock))


def keep_answering(ticks, lock: threading.Lock, ready: "queue.Queue[Seat]", clock: Clock) -> None:
    seat = None
    while True:
        if seat is None or not seat.positions:
            seat = next_seat(ready)
            if seat is None:
                return
        with lock:
            due = next(ticks, None)
        if due is None:
            return
        time.sleep(max(0.0, due - time.perf_counter()))
        answer(seat, due, clock)


def next_seat(ready: "queue.Queue[Seat]") -> Seat | None:
    try:
        return ready.get(timeout=5)
    except queue.Empty:
        return None


def arrive(base: str, slug: str, number: int, clock: Clock, kind: type[TimedVisitor] = TimedVisitor) -> Seat:
    """From the door to the first clip."""
    visitor = kind(base, clock)
    began = time.perf_counter()
    _, road = visitor._ask("GET", f"/t/{slug}/?participant=p{number}", None, {})
    clock.note("door", time.perf_counter() - began)
    page = PageReader(visitor.timed_get("claim", road).text)
    if page.step != "consent":
        clock.fail(f"{road}: not the consent")
    visitor.post(road, {"step": "consent", "choice": "yes", "digest": page.fields["digest"]})
    page = PageReader(visitor.post(road, {"step": "instructions"}).text)
    visitor.close()  # idle until the first answer: longer than the server keeps a connection
    return Seat(visitor, road, page.positions)


def answer(seat: Seat, due: float, clock: Clock) -> None:
    position = seat.positions.pop(0)
    fields = {"position": str(position), "answer": "yes", "seconds": "10.0", "watched": "1.000", "clock": "frame"}
    reply = seat.visitor.post(f"{seat.road}answer/", fields, JSON)
    clock.note("answer", time.perf_counter() - due)
    if f'"saved": {position}' not in reply.text:
        clock.fail(f"{position}: {reply.text[:80]}")
    began = time.perf_counter()
    seat.visitor.get(f"{seat.road}m/{position}", PIECE)
    clock.note("clip", time.perf_counter() - began)
    if not seat.positions:
        seat.visitor.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
