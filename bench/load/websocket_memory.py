"""Memory of the websocket process before, during and after 2,000 open boards, in two rounds.

Run: python -m bench.load.websocket_memory (prints one JSON object: megabytes; 40 s on two cores).
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

import psutil  # noqa: E402
from websockets.asyncio.client import ClientConnection, connect  # noqa: E402

from bench.load.http_servers import free_port  # noqa: E402
from benchsite.supervisor.processes import MEMORY  # noqa: E402

SOCKETS, AT_ONCE, ADDRESSES, ROUNDS = 2000, 50, 50, 2
RELEASE_SECONDS = 15  # seconds until the process has released unused memory


def megabytes(process: subprocess.Popen) -> float:
    return round(psutil.Process(process.pid).memory_info().rss / 1e6, 1)


async def opened(port: int, number: int) -> ClientConnection:
    source = (f"127.1.0.{1 + number % ADDRESSES}", 0)
    address = f"ws://127.0.0.1:{port}/ws/boards/grasp/"
    socket = await connect(address, compression=None, ping_interval=None, local_addr=source, open_timeout=60)
    await socket.recv()  # the board's version
    return socket


async def crowd(port: int, count: int, process: subprocess.Popen) -> float:
    """Open so many boards, return the process's memory in MB, and close them."""
    there: list[ClientConnection] = []
    for first in range(0, count, AT_ONCE):
        there += await asyncio.gather(*(opened(port, number) for number in range(first, min(count, first + AT_ONCE))))
    found = megabytes(process)
    await asyncio.gather(*(socket.close() for socket in there))
    return found


async def answers(port: int) -> None:
    """Wait until a websocket can be opened."""
    for _ in range(600):
        try:
            return await (await opened(port, 0)).close()
        except OSError:
            await asyncio.sleep(0.1)
    raise SystemExit("the websocket process does not answer")


def measure(port: int, process: subprocess.Popen) -> dict[str, object]:
    asyncio.run(answers(port))
    asyncio.run(crowd(port, 20, process))
    found: dict[str, object] = {"sockets": SOCKETS, "before_mb": megabytes(process)}
    during, after = [], []
    for _ in range(ROUNDS):
        during.append(asyncio.run(crowd(port, SOCKETS, process)))
        time.sleep(RELEASE_SECONDS)
        after.append(megabytes(process))
    return found | {"during_mb": during, "after_mb": after}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"DATA_DIR": folder, "DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "127.0.0.1"}
        subprocess.run([sys.executable, "manage.py", "migrate", "--noinput", "-v0"], cwd=ROOT, env=env, check=True)
        port = free_port()
        command = [sys.executable, "-m", "benchsite.supervisor.websocket_server", f"127.0.0.1:{port}"]
        process = subprocess.Popen(command, cwd=ROOT, env=MEMORY | env | {"LOG_LEVEL": "WARNING"})
        try:
            print(json.dumps({"bench": "websockets' memory", **measure(port, process)}))
        finally:
            process.terminate()
            process.wait(30)


if __name__ == "__main__":
    main()
