"""Requests a second of each candidate HTTP server with the same page (decision 0001).

Run: python -m bench.load.http_servers (prints JSON lines; rounds alternate, medians are compared).
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

ROOT = Path(__file__).resolve().parents[2]
REQUESTS, AT_ONCE, ROUNDS = 800, 16, 3
BIN = Path(sys.executable).parent
CANDIDATES: dict[str, list] = {
    "waitress, one process of 8 threads": [sys.executable, "-m", "benchsite.supervisor.web_server"],
    "gunicorn, one process of 8 threads": [
        BIN / "gunicorn", "benchsite.wsgi", "-k", "gthread", "-w", "1", "--threads", "8", "--log-level", "error", "-b",
    ],
    "uvicorn, one process": [
        BIN / "uvicorn", "benchsite.asgi:application", "--log-level", "error", "--uds",
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
        (Path(folder) / "media").mkdir()
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
            print(
                json.dumps(
                    {
                        "bench": "http server",
                        "server": name,
                        "page": page,
                        "requests_per_second": round(statistics.median(values), 1),
                    }
                )
            )


if __name__ == "__main__":
    main()
