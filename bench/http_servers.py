"""Decision 0001: which HTTP server answers pages. Requests a second of each candidate, same page, same run.

Run: python bench/http_servers.py (prints one JSON object a line; rounds alternate, medians are compared).
"""

import concurrent.futures
import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUESTS, AT_ONCE, ROUNDS = 800, 16, 3
BIN = Path(sys.executable).parent
CANDIDATES = {
    "gunicorn, 2 processes of 8 threads": [
        BIN / "gunicorn", "benchsite.wsgi", "-k", "gthread", "-w", "2", "--threads", "8", "--log-level", "error", "-b",
    ],
    "uvicorn, 2 processes": [
        BIN / "uvicorn", "benchsite.asgi:application", "--workers", "2", "--log-level", "error", "--uds",
    ],
}  # fmt: skip
PAGES = ("/healthz", "/readyz")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(command: list, port: int, env: dict[str, str]) -> subprocess.Popen:
    address = ["--port", str(port)] if command[-1] == "--uds" else [f"127.0.0.1:{port}"]
    head = command[:-1] if command[-1] == "--uds" else command
    process = subprocess.Popen([*map(str, head), *address], cwd=ROOT, env=env)
    for _ in range(200):
        try:
            fetch(port, "/healthz", 1)
            return process
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{command[0]} does not answer")


def fetch(port: int, page: str, count: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for _ in range(count):
        connection.request("GET", page, headers={"Host": "localhost"})
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise SystemExit(f"{page} answered {answer.status}")
    return count


def rate(port: int, page: str) -> float:
    began = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        done = sum(pool.map(lambda _: fetch(port, page, REQUESTS // AT_ONCE), range(AT_ONCE)))
    return done / (time.perf_counter() - began)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"DATA_DIR": folder, "DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost"}
        for name in ("migrate", "collectstatic"):
            subprocess.run([sys.executable, "manage.py", name, "--noinput", "-v0"], cwd=ROOT, env=env, check=True)
        rates: dict[tuple[str, str], list[float]] = {}
        for _ in range(ROUNDS):
            for name, command in CANDIDATES.items():
                port = free_port()
                process = started(command, port, env)
                for page in PAGES:
                    fetch(port, page, 20)
                    rates.setdefault((name, page), []).append(rate(port, page))
                process.terminate()
                process.wait(10)
        for (name, page), values in rates.items():
            print(json.dumps({"bench": "http server", "server": name, "page": page,
                              "requests_per_second": round(statistics.median(values), 1)}))  # fmt: skip


if __name__ == "__main__":
    main()
