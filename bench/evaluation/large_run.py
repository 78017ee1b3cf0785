"""A run of 100,000 questions: time of its page during and after the run, queries, and memory of worker and web process.

Run: python -m bench.evaluation.large_run [--cells 100000] (prints JSON lines; creates its data in a temporary folder).
A real worker answers in another process while this one renders the page repeatedly, like the web server. On a shared
machine the time during the run depends more on the other load than on the page. Memory must be flat while questions are
answered; the results at the end are computed over all answers at once and take memory in proportion.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SEEDS = 4
PAGE_LIMIT = 60  # milliseconds of server time
GROWTH_LIMIT = 20  # MB between the first tenth and the end
WARM = 30


def set_up(folder: str) -> None:
    """Set up Django on a database in this folder; the first process creates the tables."""
    (Path(folder) / "var").mkdir(exist_ok=True)
    os.environ |= {"DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
    os.environ.pop("DATABASE_URL", None)
    import django
    from django.conf import settings

    django.setup()
    settings.ALLOWED_HOSTS = ["*"]
    settings.DEBUG = False


def start(cells: int) -> Any:
    """Create the run as the command does."""
    from django.db import transaction

    from benchmarks.models import Item, ItemFacet, Pack
    from evaluation.models import Model
    from evaluation.runs.lifecycle import start_run

    pack = Pack.objects.create(
        benchmark="grasp", name="bench", title="Bench", origin="generated", manifest_hash="0" * 64
    )
    with transaction.atomic():
        items = Item.objects.bulk_create(
            [
                Item(
                    pack=pack,
                    key=f"level1/ColorRed/{place}",
                    kind="binary",
                    variant="true",
                    public_id=f"{place:012}",
                    text="The ball is red. Is this true?",
                    answer_kind="yes-no",
                    options=["yes", "no"],
                    expected=("yes", "no")[place % 2],
                )
                for place in range(cells // SEEDS)
            ],
            batch_size=500,
        )
        facets = (("level", "1"), ("split", "all"), ("test", "Color"))
        rows = [ItemFacet(item=item, name=name, value=value) for item in items for name, value in facets]
        ItemFacet.objects.bulk_create(rows, batch_size=1000)
    model = Model.objects.create(slug="dice", name="Dice", kind="random")
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only", seeds=tuple(range(SEEDS)))


def memory_mb() -> float:
    """Current resident memory of this process in MB (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def act_as_worker(run_id: int) -> None:
    """Answer all questions; print every second the memory and whether results are being computed."""
    from unittest.mock import patch

    from evaluation.runs import completion
    from evaluation.workers.loop import work_on

    over, ending, store = threading.Event(), threading.Event(), completion.store_results

    def stored(run: Any) -> None:
        ending.set()
        store(run)

    def watch() -> None:
        while not over.wait(1):
            print(json.dumps({"memory_mb": round(memory_mb(), 1), "ending": ending.is_set()}), flush=True)

    watching = threading.Thread(target=watch)
    watching.start()
    with patch.object(completion, "store_results", stored):
        work_on(run_id)
    print(json.dumps({"memory_mb": round(memory_mb(), 1), "ending": True}), flush=True)
    over.set()
    watching.join()


def page_times(address: str, times: int) -> list[float]:
    """Server time in milliseconds of each of these requests, through the whole site."""
    from django.test import Client

    client, spent = Client(), []
    for _ in range(times):
        began = time.perf_counter()
        assert client.get(address).status_code == 200
        spent.append(1000 * (time.perf_counter() - began))
    return spent


def processor_time(address: str) -> float:
    """Processor time in milliseconds of one request; other load on the machine does not affect it."""
    began = time.thread_time()
    page_times(address, 1)
    return 1000 * (time.thread_time() - began)


def queries_of(address: str) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        Client().get(address)
    return len(queries)


def while_it_runs(worker: "subprocess.Popen[str]", address: str) -> tuple[list[Any], ...]:
    """Sample the page's wall and processor times and the memory of worker and web process until the worker ends."""
    messages: list[dict[str, Any]] = []
    reading = threading.Thread(target=lambda: messages.extend(json.loads(line) for line in worker.stdout or ()))
    reading.start()
    spent, processor, own = [], [], []
    while worker.poll() is None:
        spent += page_times(address, 2)
        processor.append(processor_time(address))
        own.append(memory_mb())
        time.sleep(1)
    reading.join()
    return spent, processor, messages, own


def growth(samples: list[float]) -> float:
    """Difference in MB between the largest sample and the largest of the first tenth."""
    return round(max(samples) - max(samples[: max(3, len(samples) // 10)]), 1)


def measure(folder: str, cells: int) -> list[dict[str, Any]]:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    run = start(cells)
    written = time.perf_counter() - began
    address = run.get_absolute_url()
    page_times(address, 3)
    waiting = [processor_time(address) for _ in range(WARM)]
    command = [sys.executable, "-m", "bench.evaluation.large_run", "--worker", str(run.pk), "--folder", folder]
    began = time.perf_counter()
    worker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    spent, processor, of_worker, of_web = while_it_runs(worker, address)
    seconds = time.perf_counter() - began
    run.refresh_from_db()
    after = page_times(address, WARM)
    answering = [one["memory_mb"] for one in of_worker if not one["ending"]]
    found = {
        "cells": cells,
        "state": run.state,
        "written_s": round(written, 1),
        "answered_s": round(seconds, 1),
        "page_running_ms": round(statistics.median(spent), 1),
        "page_running_worst_ms": round(max(spent), 1),
        "page_running_cpu_ms": round(statistics.median(processor), 1),
        "page_waiting_cpu_ms": round(statistics.median(waiting), 1),
        "page_over_ms": round(statistics.median(after), 1),
        "queries_over": queries_of(address),
        "worker_mb": max(answering),
        "worker_growth_mb": growth(answering),
        "worker_with_results_mb": max(one["memory_mb"] for one in of_worker),
        "web_mb": round(max(of_web), 1),
        "web_growth_mb": growth(of_web),
    }
    found["ok"] = run.state == "finished" and _is_within(found)
    return [found]


def _is_within(found: dict[str, Any]) -> bool:
    pages = max(found["page_running_ms"], found["page_over_ms"])
    return pages < PAGE_LIMIT and max(found["worker_growth_mb"], found["web_growth_mb"]) < GROWTH_LIMIT


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=100_000)
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.worker:
        set_up(options.folder)
        act_as_worker(options.worker)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        results = measure(folder, options.cells)
        for result in results:
            print(json.dumps(result), flush=True)
    return 0 if all(result["ok"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
