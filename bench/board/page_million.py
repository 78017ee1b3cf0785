"""Boards over a million responses: server time cold and warm, item lists, rate beside a constant page, new row.

`python -m bench.board.page_million` loads the data into a temporary folder (bench/board/million.py) and prints JSON
lines; exit 1 if a target is missed. With DATA_DIR (and DATABASE_URL) of a loaded database it measures that one.
Processor time is printed beside wall time: on a shared machine it is the better measure of a request's cost.
"""

import gzip
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

from bench.board.new_row import new_row  # noqa: E402
from bench.load.http_servers import free_port  # noqa: E402

BOARD = "/leaderboard/craft/?group=template"  # 40 rows x 24 columns
ITEMS = "/leaderboard/grasp/items/?row=run-4&level=2"  # 4,096 answers of one run
LISTS = {
    "items": ITEMS,
    "items that models are at odds on": f"{ITEMS}&show=disputed",
    "items that people are at odds on": f"{ITEMS}&show=split",
    "items of a study": "/leaderboard/grasp/items/?row=trial-people&level=2",  # 640 items, three votes each
}
CONSTANT = "/static/constant.html"
WARM_MS, COLD_MS, ITEMS_MS, QUERIES, SHARE = 15, 250, 60, 12, 0.5  # targets
NEW_ROW_S = 5  # from the last of 8,192 answers to the page with the row
REQUESTS, AT_ONCE, ROUNDS = 320, 8, 3


def set_up() -> dict[str, Any] | None:
    """Set up Django with production settings and load the data; return the loaded counts, None if the data existed."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    os.environ |= {"DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost,testserver"}
    from bench.board import million

    million.set_up()
    from django.core.management import call_command

    from evaluation.models import Run
    from leaderboard.standings.refresh import refresh

    loaded = None if Run.objects.exists() else million.load()
    began = time.process_time()
    computed = refresh().computed
    if loaded and computed:
        loaded["standings_cpu_s_a_run"] = round((time.process_time() - began) / computed, 3)
    call_command("collectstatic", interactive=False, verbosity=0)
    return loaded


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


def in_process() -> bool:
    """Print a line for each page; return whether all are within the limits, by processor time."""
    from django.core.cache import cache as stored
    from django.db import connection

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
        print(
            json.dumps(
                {
                    "measure": name,
                    "database": connection.vendor,
                    **found,
                    "limit_ms": limit,
                    "queries": queries,
                    "load": round(os.getloadavg()[0], 1),
                    "ok": is_ok,
                }
            ),
            flush=True,
        )
        all_ok &= is_ok
    return all_ok


def constant_page() -> None:
    """Write the board's HTML, plain and gzipped, as a static file for the same server."""
    from django.conf import settings

    page = gzip.decompress(visitor().get(BOARD).content)
    path = settings.STATIC_ROOT / "constant.html"
    path.write_bytes(page)
    Path(f"{path}.gz").write_bytes(gzip.compress(page, 1))


def wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise SystemExit("the server does not answer")


def rate(port: int, address: str, encoding: str) -> float:
    """Requests a second over persistent connections."""

    def fetch(count: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _ in range(count):
            connection.request("GET", address, headers={"Host": "localhost", "Accept-Encoding": encoding})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, f"{address} answered {answer.status}"

    began = time.perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(fetch, [REQUESTS // AT_ONCE] * AT_ONCE))
    return REQUESTS / (time.perf_counter() - began)


def processor_of(server: int) -> float:
    """Processor time of a server's processes so far, in microseconds."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    ticks = sum(
        sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) for pid in children
    )
    return 1e6 * ticks / os.sysconf("SC_CLK_TCK")


def processor_share(server: int, port: int, encoding: str) -> dict[str, float]:
    """Processor time of a request for the board and for the constant page, and their ratio."""
    spent = []
    for address in (BOARD, CONSTANT):
        before = processor_of(server)
        for _ in range(ROUNDS):
            rate(port, address, encoding)
        spent.append((processor_of(server) - before) / (ROUNDS * REQUESTS))
    board, constant = spent
    return {"board_cpu_us": round(board), "constant_cpu_us": round(constant), "cpu_share": round(constant / board, 2)}


def over_http() -> bool:
    """Measure over HTTP with one web process of `serve`; rounds alternate, so that load affects both equally."""
    constant_page()
    port = free_port()
    command = [sys.executable, "-m", "benchsite.supervisor.web_server", f"127.0.0.1:{port}"]
    server = subprocess.Popen(command, cwd=ROOT)
    try:
        wait_for(port)
        all_ok = True
        for encoding in ("gzip", "identity"):
            for address in (BOARD, CONSTANT):
                rate(port, address, encoding)
            pairs = [(rate(port, BOARD, encoding), rate(port, CONSTANT, encoding)) for _ in range(ROUNDS)]
            share = statistics.median(board / constant for board, constant in pairs)
            board, constant = (round(statistics.median(values)) for values in zip(*pairs, strict=True))
            print(
                json.dumps(
                    {
                        "measure": "rate",
                        "encoding": encoding,
                        "board_a_second": board,
                        "constant_a_second": constant,
                        "share": round(share, 2),
                        **processor_share(server.pid, port, encoding),
                        "load": round(os.getloadavg()[0], 1),
                        "ok": share >= SHARE,
                    }
                ),
                flush=True,
            )
            all_ok &= share >= SHARE
        return all_ok
    finally:
        server.terminate()
        server.wait(20)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("DATA_DIR", folder)
        loaded = set_up()
        if loaded:
            print(json.dumps({"measure": "load", **loaded}), flush=True)
        results = [in_process(), over_http(), new_row(times=3, limit=NEW_ROW_S)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
