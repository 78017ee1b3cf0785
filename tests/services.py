"""Servers and programs that some tests need: their addresses, and what this machine lacks.

`python -m tests.services` starts those that are installed but don't run, and waits until all answer.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from ctypes.util import find_library
from urllib.parse import urlparse

from tests.chromium import PATH

POSTGRES_URL = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
RABBITMQ_URL = "amqp://127.0.0.1:5672"
REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/9")

STARTS = {
    "postgres": ["service", "postgresql", "start"],
    # Debian's own settings store it to a folder that may be closed, and Redis then refuses all writes.
    "redis": ["redis-server", "--daemonize", "yes", "--save", "", "--bind", "127.0.0.1"],
    "rabbitmq": ["service", "rabbitmq-server", "start"],
}


def answers(url: str) -> bool:
    """Whether a server listens at this address."""
    address = urlparse(url)
    try:
        socket.create_connection((address.hostname or "127.0.0.1", address.port or 0), timeout=2).close()
    except OSError:
        return False
    return True


def missing(mark: str) -> str:
    """What tests with this mark need and this machine lacks; '' if nothing."""
    if mark == "postgres" and not answers(POSTGRES_URL):
        return f"PostgreSQL is not at {POSTGRES_URL}"
    if mark == "redis" and not answers(REDIS_URL):
        return f"Redis is not at {REDIS_URL}"
    if mark == "nginx" and not (shutil.which("nginx") and shutil.which("redis-server")):
        return "nginx and redis-server are not installed"
    if mark == "rabbitmq" and not (shutil.which("rabbitmqctl") and os.geteuid() == 0 and answers(RABBITMQ_URL)):
        return f"RabbitMQ is not at {RABBITMQ_URL}, or rabbitmqctl (as root) is not at hand"
    if mark == "browser" and not shutil.which(PATH):
        return f"no Chromium at {PATH}"
    if mark == "render" and not (find_library("EGL") or find_library("OSMesa")):
        return "no off-screen OpenGL: install libosmesa6 or libegl1"
    return ""


def all_missing() -> dict[str, str]:
    """What is missing, by the mark of the tests that need it."""
    marks = ("postgres", "redis", "browser", "nginx", "rabbitmq", "render")
    return {mark: lack for mark in marks if (lack := missing(mark))}


def main(patience_s: float = 180) -> int:
    """Exit code 1 if something is still missing after this many seconds."""
    for mark in all_missing():
        if mark in STARTS and shutil.which(STARTS[mark][0]):
            subprocess.run(STARTS[mark], check=False)
    end = time.monotonic() + patience_s
    while (lacks := all_missing()) and time.monotonic() < end:
        time.sleep(2)
    print(*lacks.values(), sep="\n", end="\n" if lacks else "")
    return bool(lacks)


if __name__ == "__main__":
    sys.exit(main())
