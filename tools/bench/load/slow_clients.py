"""Time of the home page without slow clients, with 1,000 of each kind, and with 50 slow bodies.

Run: python -m tools.bench.load.slow_clients (prints a JSON object in milliseconds for each kind; two minutes). `serve`
runs the site; clients reopen closed connections, from 50 addresses, so that the limit for one address doesn't help.
"""

import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from benchsite.serving.serve import free_port
from tools.bench.measure import ROOT, say

KINDS = {
    "half a head": "half=1000",
    "a byte every 5 s": "drip=1000",
    "nothing": "nothing=1000",
    "slow bodies": "body=50",
}
PAGE = "/"
READERS, SECONDS, PATIENCE = 2, 6.0, 8.0


@contextmanager
def site() -> Iterator[int]:
    """Run a site; yields its port."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port("127.0.0.1")
        env = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | {"DATA_DIR": folder}
        command = [sys.executable, "manage.py", "serve", "--only", "web", "--port", str(port)]
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
        try:
            print(process.stdout.readline(), file=sys.stderr, end="")  # type: ignore[union-attr]
            yield port
        finally:
            process.terminate()
            process.wait(60)


@contextmanager
def crowd(port: int, who: str) -> Iterator[None]:
    """Run a crowd of slow clients, all connected on entry."""
    command = [sys.executable, str(Path(__file__).with_name("slow_crowd.py")), str(port), who]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for line in process.stdout or []:
        if json.loads(line)["open"] >= int(who.partition("=")[2]):
            break
    try:
        yield
    finally:
        lines = process.communicate("")[0].splitlines()
        print(f"{who}: {lines[-1] if lines else ''}", file=sys.stderr)


def page(port: int) -> float:
    """Seconds until a new visitor has the home page; PATIENCE if it does not arrive."""
    began = time.perf_counter()
    call = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        call.request("GET", PAGE, headers={"Host": "localhost"})
        answer = call.getresponse()
        answer.read()
        return time.perf_counter() - began if answer.status == 200 else PATIENCE
    except OSError:
        return PATIENCE
    finally:
        call.close()


def pages(port: int) -> dict[str, float]:
    """Times of the home page for a series of visitors, a few at once."""
    times: list[float] = []

    def visit() -> None:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            times.append(page(port))
            time.sleep(random.uniform(0.1, 0.3))

    with ThreadPoolExecutor(READERS) as pool:
        for _ in range(READERS):
            pool.submit(visit)
    times.sort()
    half, most = times[len(times) // 2], times[int(len(times) * 0.95)]
    return {"p50": round(1000 * half, 1), "p95": round(1000 * most, 1), "lost": times.count(PATIENCE)}


def main() -> int:
    lost = 0
    with site() as port:
        pages(port)
        for name, who in KINDS.items():
            without = pages(port)
            with crowd(port, who):
                beside = pages(port)
            ratio = round(beside["p95"] / without["p95"], 2)
            lost += int(beside["lost"])
            times = {"without_ms": without, "beside_ms": beside, "p95_ratio": ratio}
            say(not beside["lost"], measure="pages beside slow clients", kind=name, crowd=who, **times)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
