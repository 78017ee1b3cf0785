"""`python -m bench.trials.offered_rate [--database sqlite|postgres]`: answers at a fixed rate (open-loop load).

Answers are due at the moments of a Poisson process and timed from then, so delays of the site are visible (no
"coordinated omission"). With every answer the next clip's first piece is fetched; one person arrives for every sixteen
answers, and the request that claims the sheet is timed too. Prints a JSON object for each database.
"""

import json
import queue
import random
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

from bench.trials.timing import TimedVisitor, Timings, load_now
from humantrials.simulation.browser import JSON, PIECE, PageReader
from tests.humantrials.subprocesses import on_each_database, start_django

LIMIT = 60.0  # milliseconds, for the 95th percentile of answers and claims
SHEET = 16


@dataclass(frozen=True)
class Load:
    """The offered load."""

    rate: int = 50  # answers a second
    people: int = 110  # with 16 answers each; there are 120 sheets
    threads: int = 32
    seed: int = 1


@dataclass
class Seat:
    """A participant who has reached the clips."""

    visitor: TimedVisitor
    step_path: str
    positions: list[int]


def main(arguments: list[str]) -> int:
    return on_each_database("bench.trials.offered_rate", __doc__, asdict(Load()), arguments, here)


def here(questions: dict[str, Any]) -> int:
    load = Load(**questions)
    start_django()
    from django.db import connection

    from benchsite.supervisor.processes import stop_all
    from benchsite.supervisor.serve import free_port
    from tests.humantrials import crash_load

    port = free_port("127.0.0.1")
    keepers = crash_load.start_site(port)
    try:
        crash_load.prepare(crash_load.Load())
        crash_load.prepare(crash_load.Load(clips=1), slug="warm", name="warm")
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


def facts(clock: Timings, seconds: float) -> dict[str, Any]:
    answers = len(clock.times["answer"])
    found: dict[str, Any] = {"answers": answers, "answered_a_second": round(answers / seconds, 1)}
    for kind in ("answer", "claim", "door", "clip"):
        found |= clock.summary(kind)
    return found | {"errors": len(clock.errors), "first_errors": clock.errors[:3]}


def is_met(report: dict[str, Any]) -> bool:
    return report["answer_p95_ms"] < LIMIT and report["claim_p95_ms"] < LIMIT and not report["errors"]


def warm_up(base: str, people: int = 6) -> None:
    """Let people answer before measuring, so that every process of the site has served every page."""
    clock = Timings()
    for number in range(people):
        seat = arrive(base, "warm", number, clock)
        while seat.positions:
            answer(seat, time.perf_counter(), clock)


def offer(base: str, load: Load) -> tuple[Timings, float]:
    """Let people arrive and post answers when they are due; return the timings and the seconds it took."""
    clock, ready = Timings(), queue.Queue[Seat]()
    for number in range(load.threads):
        ready.put(arrive(base, "besieged", number, clock))
    rest = iter(range(load.threads, load.people))
    rng, due, times = random.Random(load.seed), time.perf_counter() + 0.5, []
    began = due
    for _ in range(load.people * SHEET):
        times.append(due)
        due += rng.expovariate(load.rate)
    newcomers = threading.Thread(target=let_people_arrive, args=(base, rest, began, load, clock, ready))
    ticks, lock = iter(times), threading.Lock()
    threads = [threading.Thread(target=answer_at_ticks, args=(ticks, lock, ready, clock)) for _ in range(load.threads)]
    for thread in (newcomers, *threads):
        thread.start()
    for thread in (newcomers, *threads):
        thread.join()
    return clock, time.perf_counter() - began


def let_people_arrive(base: str, numbers, began: float, load: Load, clock: Timings, ready: "queue.Queue[Seat]") -> None:
    """Let one person arrive for every sixteen answers, at even intervals."""
    for place, number in enumerate(numbers):
        time.sleep(max(0.0, began + place * SHEET / load.rate - time.perf_counter()))
        ready.put(arrive(base, "besieged", number, clock))


def answer_at_ticks(ticks, lock: threading.Lock, ready: "queue.Queue[Seat]", clock: Timings) -> None:
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


def arrive(base: str, slug: str, number: int, clock: Timings, kind: type[TimedVisitor] = TimedVisitor) -> Seat:
    """Take a new participant from the entry page to the first clip."""
    visitor = kind(base, clock)
    began = time.perf_counter()
    _, path = visitor._ask("GET", f"/t/{slug}/?participant=p{number}", None, {})
    clock.note("door", time.perf_counter() - began)
    page = PageReader(visitor.timed_get("claim", path).text)
    if page.step != "consent":
        clock.fail(f"{path}: not the consent")
    visitor.post(path, {"step": "consent", "choice": "yes", "digest": page.fields["digest"]})
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
