"""The board over a million responses: server time cold and warm, list of items, rate against a constant page, new row.

`python bench/board_million.py` loads the data into a temporary folder (bench/million.py) and prints JSON lines; exit 1
where a target is missed. With DATA_DIR (and DATABASE_URL) naming a loaded database it measures that one. Processor time
is told beside the clock's: on a machine that others use, too, it says what a request costs.
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

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)

from bench.http_servers import free_port  # noqa: E402
from bench.new_row import new_row  # noqa: E402

BOARD = "/leaderboard/craft/?group=template"  # 40 rows x 24 columns
ITEMS = "/leaderboard/grasp/items/?row=run-4&level=2"  # 4,096 answers of one run
LISTS = {
    "items": ITEMS,
    "items that models are at odds on": f"{ITEMS}&show=disputed",
    "items that people are at odds on": f"{ITEMS}&show=split",
    "items of a study": "/leaderboard/grasp/items/?row=trial-people&level=2",  # 640, three votes each
}
CONSTANT = "/static/constant.html"
WARM_MS, COLD_MS, ITEMS_MS, QUERIES, SHARE = 15, 250, 60, 12, 0.5  # what issue E asks for
NEW_ROW_S = 5  # from a worker's last answer of 8,192 to the page that shows the row
REQUESTS, AT_ONCE, ROUNDS = 320, 8, 3


def set_up() -> dict[str, Any] | None:
    """Production settings on a loaded database; what was loaded, None where it was there."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    os.environ |= {"DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost,testserver"}
    from bench import million

    million.set_up()
    from django.core.management import call_command

    from evaluation.models import Run
    from leaderboard.standings import refresh

    loaded = None if Run.objects.exists() else million.load()
    began = time.process_time()
    computed = refresh().computed
    if loaded and computed:
        loaded["standings_cpu_s_a_run"] = round((time.process_time() - began) / computed, 3)
    call_command("collectstatic", interactive=False, verbosity=0)
    return loaded


@cache
def visitor() -> Any:
    """One client for all: each new one would look through the static files, as a process does when it starts."""
    from django.test import Client

    return Client(headers={"accept-encoding": "gzip"})


def cost(address: str) -> tuple[float, float]:
    """Milliseconds by the clock and of the processor for one request through the whole site."""
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

    with CaptureQueriesContext(connection) as asked:
        visitor().get(address)
    return len(asked)


def in_process() -> bool:
    """One line a page; whether all of it is within the limits, by processor time."""
    from django.core.cache import cache as kept
    from django.db import connection

    cost(BOARD)  # templates are loaded, as in a process that runs
    lines = [
        ("cold", BOARD, COLD_MS, median_of(5, BOARD, kept.clear)),
        ("warm", BOARD, WARM_MS, median_of(40, BOARD)),
        *((name, address, ITEMS_MS, median_of(9, address)) for name, address in LISTS.items()),
    ]
    all_ok = True
    for name, address, limit, found in lines:
        kept.clear() if name == "cold" else None
        asked = queries_of(address)
        is_ok = found["cpu_ms"] < limit and asked <= QUERIES
        print(json.dumps({"measure": name, "database": connection.vendor, **found, "limit_ms": limit, "queries": asked,
                          "load": round(os.getloadavg()[0], 1), "ok": is_ok}), flush=True)  # fmt: skip
        all_ok &= is_ok
    return all_ok


def constant_page() -> None:
    """A file of the board's very bytes, packed beside it, which the same server gives away as it does style sheets."""
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
    """Requests a second on connections that stay open."""

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
    """Microseconds of the processor that a server's processes have had."""
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    ticks = sum(
        sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) for pid in children
    )
    return 1e6 * ticks / os.sysconf("SC_CLK_TCK")


def processor_share(server: int, port: int, encoding: str) -> dict[str, float]:
    """What a request costs the web server, board and constant, and the one as a share of the other."""
    spent = []
    for address in (BOARD, CONSTANT):
        before = processor_of(server)
        for _ in range(ROUNDS):
            rate(port, address, encoding)
        spent.append((processor_of(server) - before) / (ROUNDS * REQUESTS))
    board, constant = spent
    return {"board_cpu_us": round(board), "constant_cpu_us": round(constant), "cpu_share": round(constant / board, 2)}


def over_http() -> bool:
    """gunicorn as `serve` starts it; rounds alternate, so that both meet the same machine."""
    constant_page()
    port = free_port()
    gunicorn = [str(Path(sys.executable).parent / "gunicorn"), "benchsite.wsgi", "-k", "gthread", "-w", "2",
                "--threads", "8", "--log-level", "error", "-b", f"127.0.0.1:{port}"]  # fmt: skip
    server = subprocess.Popen(gunicorn, cwd=ROOT)
    try:
        wait_for(port)
        all_ok = True
        for encoding in ("gzip", "identity"):
            for address in (BOARD, CONSTANT):
                rate(port, address, encoding)
            pairs = [(rate(port, BOARD, encoding), rate(port, CONSTANT, encoding)) for _ in range(ROUNDS)]
            share = statistics.median(board / constant for board, constant in pairs)
            board, constant = (round(statistics.median(values)) for values in zip(*pairs, strict=True))
            print(json.dumps({"measure": "rate", "encoding": encoding, "board_a_second": board,
                              "constant_a_second": constant, "share": round(share, 2),
                              **processor_share(server.pid, port, encoding),
                              "load": round(os.getloadavg()[0], 1), "ok": share >= SHARE}), flush=True)  # fmt: skip
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
