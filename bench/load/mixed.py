"""`python -m bench.load.mixed [--database sqlite|postgres] [--seconds 300] …`: mixed load.

Offers 30 board and item pages and 20 answers a second, and a submission of 1,000 rows every ten seconds, to the site as
`serve` runs it. Times count from when a request was due. At the end everything acknowledged must be stored. Prints a
JSON object for each database; exit 1 if there was an error, something is lost, a limit is missed or memory grew.
"""

import json
import statistics
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

import psutil

from bench.load import clients, fixtures
from bench.trials import offered_rate
from bench.trials.timing import Timings, load_now
from tests.humantrials.subprocesses import on_each_database, start_django

BOARD_MS, ANSWER_MS, GROWTH = 150.0, 80.0, 1.1  # GROWTH: ratio of final memory to that after a fifth of the time
SERVICES = ("web", "websockets", "gpu worker", "cpu worker", "clock")
LOOK = 2.0  # seconds between two samples of memory


@dataclass(frozen=True)
class Load:
    """The offered load."""

    seconds: int = 300
    pages: float = 30.0  # a second
    answers: int = 20  # a second
    every: float = 10.0  # seconds between submissions
    rows: int = 20  # on the board that is read
    timed: int = 1  # 0 = only errors and losses count, not times and memory


def main(arguments: list[str]) -> int:
    return on_each_database("bench.load.mixed", __doc__, asdict(Load()), arguments, here)


def here(questions: dict[str, Any]) -> int:
    load = Load(**questions)
    start_django()
    from benchmarks.packs.import_release import learn_sizes
    from benchsite.supervisor.processes import stop_all
    from benchsite.supervisor.serve import free_port
    from tests.humantrials import crash_load

    port = free_port("127.0.0.1")
    keepers = crash_load.start_site(port, only=SERVICES)
    try:
        addresses = fixtures.make_board(load.rows)
        people = fixtures.make_study(load.seconds * load.answers)
        keys, ids = fixtures.make_senders(max(1, int(load.seconds / load.every)))
        learn_sizes()  # the database's own maintenance does this within a minute of such a load
        report = offer(f"http://127.0.0.1:{port}", load, addresses, people, keys, ids, keepers)
    finally:
        stop_all(list(keepers.values()))
    print(json.dumps(report), flush=True)
    return 0 if report["ok"] else 1


def offer(
    base: str, load: Load, addresses: list[str], people: int, keys: list[str], ids: list[str], keepers: dict[str, Any]
) -> dict[str, Any]:
    offered_rate.warm_up(base)
    clients.read(base, addresses, 10, 3, Timings())
    clock, sent, before = Timings(), clients.Sent(), load_now()
    over = threading.Event()
    memory: list[float] = []
    answered: list[Timings] = []
    people_load = offered_rate.Load(rate=load.answers, people=people, threads=min(32, people))
    threads = [
        threading.Thread(target=clients.read, args=(base, addresses, load.pages, load.seconds, clock)),
        threading.Thread(target=clients.send, args=(base, keys, ids, load.every, clock, sent)),
        threading.Thread(target=lambda: answered.append(offered_rate.offer(base, people_load)[0])),
    ]
    watcher = threading.Thread(target=watch_memory, args=(keepers, memory, over))
    began = time.perf_counter()
    for thread in (watcher, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - began
    over.set()
    watcher.join()
    return judge(load, clock, answered[0], sent, memory, seconds) | {"load_before": before}


def watch_memory(keepers: dict[str, Any], seen: list[float], over: threading.Event) -> None:
    """Append samples of the unique memory (USS) of all the site's processes, in MB."""
    while not over.wait(LOOK):
        total = 0
        for keeper in keepers.values():
            for process in family(keeper.process.pid):
                try:
                    total += process.memory_full_info().uss
                except psutil.Error:
                    continue
        seen.append(total / 1e6)


def family(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def judge(
    load: Load, clock: Timings, answers: Timings, sent: clients.Sent, memory: list[float], seconds: float
) -> dict[str, Any]:
    from django.db import connection

    found: dict[str, Any] = {"measure": "mixed load", "database": connection.vendor, **asdict(load)}
    for kind, of in (("board", clock), ("item", clock), ("submission", clock), ("answer", answers), ("claim", answers)):
        found |= of.summary(kind) if of.times.get(kind) else {}
    pages = len(clock.times.get("board", ())) + len(clock.times.get("item", ()))
    taken = len(answers.times.get("answer", ()))
    found |= {
        "pages_seen": pages,
        "answers_taken": taken,
        "submissions": len(sent.acknowledged),
        "took_s": round(seconds, 1),
    }
    found |= {"lost_answers": taken - stored_answers(), "lost_submissions": len(lost_submissions(sent))}
    errors = clock.errors + answers.errors
    found |= {"errors": len(errors), "first_errors": errors[:3], **growth(memory)}
    is_whole = not errors and found["lost_answers"] <= 0 and not found["lost_submissions"]
    is_quick = found["board_p95_ms"] < BOARD_MS and found["answer_p95_ms"] < ANSWER_MS
    found["ok"] = is_whole and (not load.timed or (is_quick and found["memory_grew"] <= GROWTH))
    return found


def growth(memory: list[float]) -> dict[str, float]:
    """Memory after a fifth of the time, when every process is warm, and at the end; it should not grow."""
    if len(memory) < 10:
        return {"memory_mb": round(max(memory, default=0.0)), "memory_grew": 1.0}
    fifth = len(memory) // 5
    early, late = statistics.median(memory[fifth : 2 * fifth]), statistics.median(memory[-fifth:])
    return {"memory_mb": round(late), "memory_grew": round(late / early, 3)}


def stored_answers() -> int:
    from humantrials.models import Judgment

    return Judgment.objects.filter(trial__slug="besieged").count()


def lost_submissions(sent: clients.Sent) -> list[str]:
    """Acknowledged submissions that are not stored with all rows, after waiting for the worker."""
    from django.db.models import Count

    from evaluation.models import Run, Upload

    deadline = time.monotonic() + 120
    while Upload.objects.filter(ended_at=None).exists() and time.monotonic() < deadline:
        time.sleep(1)
    runs = Run.objects.filter(model__name__in=sent.acknowledged).annotate(rows=Count("cells__response"))
    stored = dict(runs.values_list("model__name", "rows"))
    return [name for name, rows in sent.acknowledged.items() if stored.get(name) != rows]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
