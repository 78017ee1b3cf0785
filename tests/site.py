"""Runs a real site for tests, with its own folder and processes, started by `serve`."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from benchsite.serving.serve import free_port
from tests.programs import ROOT, python, start
from tests.tables import lay_into, lay_static

# Seconds; long, because a busy machine is slow without being wrong.
PATIENCE = 300.0
STARTS_WITHIN = 600.0  # includes making tables and static files


@dataclass
class Site:
    """A running site: its process, port and data folder."""

    process: subprocess.Popen[str]
    port: int
    folder: Path

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}"

    def page(self, path: str = "/") -> str:
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a management command on this site's data."""
        return manage(self.folder, *arguments)


def environment(folder: Path) -> dict[str, str]:
    """The environment for a site in this folder, with objects as log lines, away from other databases and brokers."""
    away = ("SECRET_KEY", "DEBUG", "DATABASE_URL", "CELERY_BROKER_URL", "REDIS_URL")
    own = {"DATA_DIR": str(folder), "LOG_FORMAT": "json"}
    return {name: value for name, value in os.environ.items() if name not in away} | own


def other_settings(**values: Any) -> dict[str, str]:
    """The environment of a program that has these settings in place of the site's own."""
    return {"DJANGO_SETTINGS_MODULE": "tests.other_settings", "OTHER_SETTINGS": json.dumps(values)}


def manage(folder: Path, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run a management command, in a process of its own."""
    return python(["manage.py", *arguments], environment(folder) | extra, timeout=PATIENCE)


class ServeProcess(subprocess.Popen[str]):
    """`serve`, started beside its data folder, because it must work from any folder.

    Its log goes to a file: a pipe that nobody reads is full after 64 KB, and then every page that logs a line hangs.
    """

    def __init__(self, folder: Path, port: int) -> None:
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115  # `output` closes it
        command = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(port)]
        how: Any = {"stdout": subprocess.PIPE, "stderr": self.log, "text": True}
        super().__init__(command, cwd=folder.parent, env=environment(folder), **how)

    def output(self) -> tuple[str, str]:
        """Wait for its end: its output, and its log."""
        said, _ = self.communicate(timeout=PATIENCE)
        with self.log:
            self.log.seek(0)
            return said, self.log.read()


def others_read(folder: Path) -> list[str]:
    """What users other than the owner may read, write or enter here."""
    return [str(path) for path in (folder, *folder.rglob("*")) if path.lstat().st_mode & 0o077]


def wait_for(what: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """The first true value that `what` returns; it is polled, and AssertionError ends the wait."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            found = what()
        except OSError:
            found = None
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited {seconds:.0f} s in vain")


def end(process: ServeProcess, how: signal.Signals) -> tuple[str, str, list[psutil.Process]]:
    """Stop `serve` with this signal: its output, its errors, and those of its processes that go on."""
    children = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    process.send_signal(how)
    said, errors = process.output()
    _, left = psutil.wait_procs(children, timeout=5)  # a killed process takes a moment to go, and a zombie longer
    return said, errors, [one for one in left if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]


@contextmanager
def running_site(folder: Path, *, empty: bool = False) -> Iterator[Site]:
    """A running site in this folder, with tables and static files laid into it unless it shall start `empty`.

    Ctrl-C ends it, after which nothing of it may run.
    """
    if not empty:
        lay_into(folder)
        lay_static(folder)
    site = Site(process := ServeProcess(folder, port := free_port("127.0.0.1")), port, folder)
    try:
        wait_for(lambda: site.page("/healthz"), STARTS_WITHIN)
        yield site
    finally:
        _, errors, left = end(process, signal.SIGINT)
    assert (site.process.returncode, left, "KeyboardInterrupt" in errors) == (0, [], False)


@contextmanager
def web_process(folder: Path, **extra: str) -> Iterator[Site]:
    """A site in this folder as one web process: for tests that need no worker, clock or websocket."""
    lay_into(folder)
    command = ["-m", "benchsite.serving.web_server", f"127.0.0.1:{(port := free_port('127.0.0.1'))}"]
    process = start(command, environment(folder) | {"DEBUG": "1"} | extra)
    site = Site(process, port, folder)
    try:
        wait_for(lambda: site.page("/healthz"))
        yield site
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
