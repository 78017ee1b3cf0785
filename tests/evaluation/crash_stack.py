"""The processes that crash rounds kill and restart: a site on its own database and queue."""

import contextlib
import json
import os
import random
import signal
import subprocess
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchsite.serving.serve import free_port
from tests.programs import start
from tests.services import POSTGRES_URL, answers
from tests.site import environment, wait_for
from tests.tables import lay_into, on_postgres


@contextlib.contextmanager
def embedded(folder: Path) -> Iterator[dict[str, str]]:
    """SQLite and a queue in a folder."""
    lay_into(folder)
    yield _clean(folder) | {"DATABASE_URL": f"sqlite:///{folder / 'var' / 'db.sqlite3'}"}


@contextlib.contextmanager
def servers(folder: Path) -> Iterator[dict[str, str]]:
    """A separate database on the PostgreSQL server, and the address of a Redis that `Site` starts and kills."""
    (folder / "var").mkdir()
    with on_postgres(POSTGRES_URL, f"crash_{uuid.uuid4().hex[:10]}") as url:
        queue = f"redis://127.0.0.1:{free_port('127.0.0.1')}/0"
        yield _clean(folder) | {"DATABASE_URL": url, "CELERY_BROKER_URL": queue}


STACKS: dict[str, Callable[[Path], contextlib.AbstractContextManager[dict[str, str]]]] = {
    "embedded": embedded,
    "servers": servers,
}


def _clean(folder: Path) -> dict[str, str]:
    for name in set(os.environ) - set(environment(folder)):
        del os.environ[name]
    return {"DATA_DIR": str(folder)}


class Site:
    """Workers, a web server and, if there is one, the broker, each in its own process group."""

    def __init__(self, *, with_broker: bool) -> None:
        self.port = free_port("127.0.0.1")
        self.workers: list[subprocess.Popen] = []
        self.broker = self._start_broker() if with_broker else None
        self.web = self._start_web()

    def keep(self, workers: int) -> None:
        """Keep exactly so many workers alive."""
        while len(self.workers) > workers:
            kill(self.workers.pop())
        while len(self.workers) < workers:
            self.workers.append(self._start_worker())

    def revive(self) -> None:
        """Restart workers that ended by themselves, like a supervisor."""
        self.workers = [worker if worker.poll() is None else self._start_worker() for worker in self.workers]

    def kill_one(self, chance: random.Random, *, busy: set[int]) -> str:
        """kill -9 a process and restart it like a supervisor; returns its name. `busy` workers may be chosen."""
        places = [place for place, worker in enumerate(self.workers) if worker.pid in busy]
        workers = ["worker", "worker"] if places else []
        what = chance.choice([*workers, "web", *(["broker"] if self.broker else [])])
        if what == "worker":
            place = chance.choice(places)
            kill(self.workers[place])
            self.workers[place] = self._start_worker()
        elif what == "web":
            kill(self.web)
            self.web = self._start_web()
        elif self.broker:
            kill(self.broker)
            time.sleep(chance.uniform(0, 1))  # without a queue for a while: the rows store the pending work
            self.broker = self._start_broker()
        return what

    def page(self, path: str) -> dict[str, Any]:
        """A page of the web server, parsed as JSON."""

        def ask() -> dict[str, Any]:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
                return json.loads(answer.read())

        return wait_for(ask)

    def stop(self) -> None:
        processes: list[subprocess.Popen | None] = [*self.workers, self.web, self.broker]
        for process in processes:
            if process:
                kill(process)

    def _start_worker(self) -> subprocess.Popen:
        return _start(celery_worker("CRITICAL"))

    def _start_web(self) -> subprocess.Popen:
        return _start(["-m", "benchsite.serving.web_server", f"127.0.0.1:{self.port}"])

    def _start_broker(self) -> subprocess.Popen:
        from django.conf import settings

        port = settings.CELERY_BROKER_URL.rsplit(":", 1)[1].split("/")[0]
        command = ["redis-server", "--port", port, "--save", "", "--dir", str(settings.VAR_DIR)]
        quiet = subprocess.DEVNULL
        broker = subprocess.Popen(command, start_new_session=True, stdout=quiet, stderr=quiet)
        wait_for(lambda: answers(f"redis://127.0.0.1:{port}"))
        return broker


def celery_worker(level: str) -> list[str]:
    celery = ["-m", "celery", "-A", "benchsite", "worker", "-P", "solo", "-Q", "gpu,cpu,default"]
    return [*celery, "--loglevel", level, "--without-gossip", "--without-mingle", "-n", f"{uuid.uuid4().hex}@crash"]


def _start(program: list[str]) -> subprocess.Popen:
    quiet = subprocess.DEVNULL
    return start(program, os.environ | {"DEBUG": "1"}, start_new_session=True, stdout=quiet, stderr=quiet)


def kill(process: subprocess.Popen[Any]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)
