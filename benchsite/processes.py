"""The processes that `serve` keeps alive on one machine."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

PARTS = ("web", "gpu", "cpu", "clock")  # of the site, each on any machine
RESTART_AFTER = 1.0  # seconds; doubled with every death in a row
LONGEST_WAIT = 30.0
STEADY = 20.0  # seconds alive after which a death counts as the first again
GRACE = 10.0  # seconds between "please stop" and kill
KEEP_ALIVE = "75"  # seconds, longer than nginx keeps an idle connection: who closes first must not be who is written to


@dataclass
class Keeper:
    """One child process: started, watched, started again, stopped with everything that it started."""

    name: str
    command: list[str]
    env: dict[str, str]
    once: bool = False  # a job with an end, not a service
    process: subprocess.Popen | None = None
    started_at: float = 0.0
    deaths: int = 0  # in a row
    due_at: float = field(default=0.0)

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, env=self.env, start_new_session=True, preexec_fn=die_with_parent)
        self.started_at = time.monotonic()

    def watch(self) -> str:
        """Restart what died and is due; give a sentence when something happened, else ''."""
        if self.process is None:
            return self._start_when_due()
        code = self.process.poll()
        if code is None:
            return ""
        self.process = None
        if self.once:
            self.due_at = float("inf")
            return "" if code == 0 else f"{self.name} ended with exit code {code}"
        if time.monotonic() - self.started_at > STEADY:
            self.deaths = 0
        wait = min(RESTART_AFTER * 2**self.deaths, LONGEST_WAIT)
        self.deaths += 1
        self.due_at = time.monotonic() + wait
        return f"{self.name} stopped (exit code {code}); it starts again in {wait:.0f} s"

    def _start_when_due(self) -> str:
        if time.monotonic() >= self.due_at:
            self.start()
        return ""

    def ask_to_stop(self) -> None:
        if self.process and self.process.poll() is None:
            _signal_group(self.process, signal.SIGTERM)

    def make_stop(self, deadline: float) -> None:
        if not self.process:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, deadline - time.monotonic()))
        _signal_group(self.process, signal.SIGKILL)  # also what the child left behind
        self.process.wait()


def die_with_parent() -> None:
    """Even `kill -9` of the supervisor leaves nothing running (Linux: PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _signal_group(process: subprocess.Popen, number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return


def stop_all(keepers: list[Keeper]) -> None:
    """Stop every child and what it started; kill what does not listen."""
    for keeper in keepers:
        keeper.ask_to_stop()
    deadline = time.monotonic() + GRACE
    for keeper in keepers:
        keeper.make_stop(deadline)


def model_workers(command: list[str], env: dict[str, str], *, count: int, cards: int) -> list[Keeper]:
    """Workers that ask models: as many as there are graphics cards or, if more, as wanted; each sees one card."""
    keepers = []
    for number in range(max(count, cards)):
        name = f"gpu worker {number + 1}" if max(count, cards) > 1 else "gpu worker"
        own = {"CUDA_VISIBLE_DEVICES": str(number % cards)} if cards and "CUDA_VISIBLE_DEVICES" not in env else {}
        keepers.append(Keeper(name, [*command, "-Q", "gpu", "-n", f"gpu{number + 1}@%h"], env | own))
    return keepers


def graphics_cards() -> int:
    """NVIDIA cards of this machine, told without loading any library; 0 where the driver is not there."""
    return len([path for path in Path("/dev").glob("nvidia*") if path.name.removeprefix("nvidia").isdigit()])


def services(
    *, host: str, port: int, socket_port: int, env: dict[str, str], parts: Collection[str] = PARTS
) -> list[Keeper]:
    """Of web and websockets, workers for `gpu`, one for `cpu,default`, and the sweeper's clock: the parts wanted."""
    python = [sys.executable, "-m"]  # not the scripts beside it: Debian's pip puts them into another folder
    celery = [*python, "celery", "-A", "benchsite", "--quiet"]
    worker = [*celery, "worker", "--loglevel", "WARNING", "--without-gossip", "--without-mingle", "-P", "solo"]
    web = [
        *python, "gunicorn", "benchsite.wsgi", "-c", "python:benchsite.web_server", "-b", f"{host}:{port}",
        "-k", "gthread", "-w", "2", "--threads", "8", "--log-level", "warning", "--keep-alive", KEEP_ALIVE,
        "--graceful-timeout", "5",
    ]  # fmt: skip
    sockets = [
        *python, "uvicorn", "benchsite.asgi:application", "--host", host, "--port", str(socket_port),
        "--log-level", "warning", "--lifespan", "off", "--timeout-graceful-shutdown", "2",
        "--timeout-keep-alive", KEEP_ALIVE,
    ]  # fmt: skip
    beat = [*celery, "beat", "--loglevel", "WARNING", "--pidfile="]
    found = {
        "web": [Keeper("web", web, env), Keeper("websockets", sockets, env)],
        "gpu": model_workers(worker, env, count=settings.EVALUATION_WORKERS, cards=graphics_cards()),
        "cpu": [Keeper("cpu worker", [*worker, "-Q", "cpu,default", "-n", "cpu@%h"], env)],
        "clock": [Keeper("clock", beat, env)],
    }
    return [keeper for part in PARTS if part in parts for keeper in found[part]]
