"""`python -m bench.mixed.load [--database sqlite|postgres] [--seconds 300] …`: everybody at once.

Thirty board and item pages and twenty answers a second and a submission of 1,000 rows every ten seconds, on the site as
`serve` runs it. Times count from when a visit was due. At the end whatever
was acknowledged must be stored. One JSON object a database; exit 1 where an error was seen, something is lost, a limit
is missed or memory grew.
"""

import json
import statistics
import sys
import threading
import time
from dataclasses import asdict, dataclass
from typing import Any

import psutil

from bench.mixed import crowd, stage
from bench.trial_load import offered
from bench.trial_load.measuring import Clock, load_now
from tests.humantrials.apart import on_each_database, start_django

BOARD_MS, ANSWER_MS, GROWTH = 150.0, 80.0, 1.1  # the last: memory at the end to memory after a fifth of the time
SERVICES = ("web", "websockets", "gpu worker", "cpu worker", "clock")
LOOK = 2.0  # seconds between two looks at memory


@dataclass(frozen=True)
class Load:
    """What is offered."""

    seconds: int = 300
    pages: float = 30.0  # a second
    answers: int = 20  # a second
    every: float = 10.0  # seconds between submissions
    rows: int = 20  # on the board that is read
    timed: int = 1  # 0 = errors and losses count, but times and memory do not


def main(arguments: list[str]) -> int:
    return on_each_database("bench.mixed.load", __doc__, asdict(Load()), arguments, here)


def here(asked: dict[str, Any]) -> int:
    load = Load(**asked)
    start_django()
    from benchmarks.planner import learn_sizes
    from benchsite.processes import stop_all
    from benchsite.serving import free_port
    from tests.humantrials import siege

    port = free_port("127.0.0.1")
    keepers = siege.start_site(port, only=SERVICES)
    try:
        addresses = stage.make_board(load.rows)
        people = stage.make_study(load.seconds * load.answers)
        keys, ids = stage.make_senders(max(1, int(load.seconds / load.every)))
        learn_sizes()  # as the database's own upkeep does within a minute of such a load
        report = offer(f"http://127.0.0.1:{port}", load, addresses, people, keys, ids, keepers)
    finally:
        stop_all(list(keepers.values()))
    print(json.dumps(report), flush=True)
    return 0 if report["ok"] else 1


def offer(base: str, load: Load, addresses: list[str], people: int, keys: list[str], ids: list[str],
          keepers: dict[str, Any]) -> dict[str, Any]:  # fmt: skip
    offered.warm_up(base)
    crowd.read(base, addresses, 10, 3, Clock())
    clock, sent, before = Clock(), crowd.Sent(), load_now()
    over = threading.Event()
    memory: list[float] = []
    answered: list[Clock] = []
    people_load = offered.Load(rate=load.answers, people=people, threads=min(32, people))
    threads = [
        threading.Thread(target=crowd.read, args=(base, addresses, load.pages, load.seconds, clock)),
        threading.Thread(target=crowd.send, args=(base, keys, ids, load.every, clock, sent)),
        threading.Thread(target=lambda: answered.append(offered.offer(base, people_load)[0])),
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
    """Megabytes that belong to the site's processes alone (USS), all together."""
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


def judge(load: Load, clock: Clock, answers: Clock, sent: crowd.Sent, memory: list[float],
          seconds: float) -> dict[str, Any]:  # fmt: skip
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
    """After a fifth of the time every process has seen everything: from then on memory should stay."""
    if len(memory) < 10:
        return {"memory_mb": round(max(memory, default=0.0)), "memory_grew": 1.0}
    fifth = len(memory) // 5
    early, late = statistics.median(memory[fifth : 2 * fifth]), statistics.median(memory[-fifth:])
    return {"memory_mb": round(late), "memory_grew": round(late / early, 3)}


def stored_answers() -> int:
    from humantrials.models import Judgment

    return Judgment.objects.filter(trial__slug="besieged").count()


def lost_submissions(sent: crowd.Sent) -> list[str]:
    """Acknowledged, and not stored with all of their rows, once the worker has had its time."""
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
