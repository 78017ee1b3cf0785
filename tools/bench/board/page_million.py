"""Boards over a million responses: server time cold and warm, lists of items, and the time until a new row is shown.

`python -m tools.bench.board.page_million` loads the data into a temporary folder (tools/bench/board/million.py) and
prints JSON lines; exit 1 if a target is missed. With DATA_DIR (and DATABASE_URL) of a loaded database it measures that
one. Processor time decides: on a shared machine it is the better measure of a request's cost.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from tools.bench.board.new_row import new_row
from tools.bench.measure import AS_SERVED, say, start_django

BOARD = "/leaderboard/craft/?group=template"  # 40 rows x 24 columns
ITEMS = "/leaderboard/grasp/items/?row=run-4&level=2"  # 4,096 answers of one run
LISTS = {
    "items": ITEMS,
    "items that models are at odds on": f"{ITEMS}&show=disputed",
    "items that people are at odds on": f"{ITEMS}&show=split",
    "items of a study": "/leaderboard/grasp/items/?row=trial-people&level=2",  # 640 items, three votes each
}
WARM_MS, COLD_MS, ITEMS_MS, QUERIES = 15, 250, 60, 12  # targets
NEW_ROW_S = 5  # from the last of 8,192 answers to the page with the row


def set_up() -> None:
    """Set up Django with production settings, and load and print the data unless the database has them."""
    os.environ |= AS_SERVED
    start_django()
    from django.core.management import call_command

    from evaluation.models import Run
    from leaderboard.standings.refresh import refresh
    from tools.bench.board import million

    loaded = None if Run.objects.exists() else million.load()
    began = time.process_time()
    computed = refresh().computed
    if loaded and computed:
        spent = round((time.process_time() - began) / computed, 3)
        say(measure="load", **loaded, standings_cpu_s_a_run=spent)
    call_command("collectstatic", interactive=False, verbosity=0)


@cache
def visitor() -> Any:
    """The shared test client for all requests: each new one would scan the static files again."""
    from django.test import Client

    return Client(headers={"accept-encoding": "gzip"})


def cost(address: str) -> tuple[float, float]:
    """Wall and processor time in milliseconds of one request through the whole site."""
    wall, cpu = time.perf_counter(), time.thread_time()
    assert visitor().get(address).status_code == 200
    return 1000 * (time.perf_counter() - wall), 1000 * (time.thread_time() - cpu)


def median_of(times: int, address: str, before: Callable[[], object] = lambda: None) -> dict[str, float]:
    found = []
    for _ in range(times):
        before()
        found.append(cost(address))
    wall, cpu = (statistics.median(values) for values in zip(*found, strict=True))
    return {"ms": round(wall, 1), "cpu_ms": round(cpu, 1)}


def queries_of(address: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        visitor().get(address)
    return len(queries)


def pages() -> bool:
    """Print a line for each page; return whether all are within the limits, by processor time."""
    from django.core.cache import cache as stored

    cost(BOARD)  # loads the templates, as in a running process
    lines = [
        ("cold", BOARD, COLD_MS, median_of(5, BOARD, stored.clear)),
        ("warm", BOARD, WARM_MS, median_of(40, BOARD)),
        *((name, address, ITEMS_MS, median_of(9, address)) for name, address in LISTS.items()),
    ]
    all_ok = True
    for name, address, limit, found in lines:
        stored.clear() if name == "cold" else None
        queries = queries_of(address)
        is_ok = found["cpu_ms"] < limit and queries <= QUERIES
        all_ok &= say(is_ok, measure=name, **found, limit_ms=limit, queries=queries)
    return all_ok


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATA_DIR", folder)
        set_up()
        results = [pages(), new_row(NEW_ROW_S)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
