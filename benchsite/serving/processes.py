"""The processes that `serve` keeps running on one machine."""

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

PARTS = ("web", "gpu", "cpu", "clock")  # parts of the site; each can run on any machine
RESTART_AFTER = 1.0  # seconds; doubled with every consecutive death
LONGEST_WAIT = 30.0
STEADY = 20.0  # seconds alive after which the count of deaths restarts
GRACE = 10.0  # seconds between SIGTERM and SIGKILL
STOPS = (signal.SIGTERM, signal.SIGINT)
METRICS = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus_client on import
# In memory: the files are memory-mapped, and writing to one on a full disk would kill the process (SIGBUS).
SHARED = Path("/dev/shm")  # noqa: S108  # nosec B108  # a folder of its own below, which nobody else may read
OURS = f"benchsite-metrics-{os.getuid()}"


@dataclass
class Keeper:
    """A child process: started, watched, restarted, and stopped with all its descendants."""

    name: str
    command: list[str]
    env: dict[str, str]
    once: bool = False  # a job that ends, not a service
    listener: socket.socket | None = None  # inherited by the process
    process: subprocess.Popen | None = None
    started_at: float = 0.0
    deaths: int = 0  # consecutive ones
    due_at: float = 0.0

    def start(self) -> None:
        with signals_wait():
            self.process = subprocess.Popen(
                self.command,
                cwd=settings.BASE_DIR,
                env=self.env,
                start_new_session=True,
                preexec_fn=die_with_parent,
                pass_fds=[self.listener.fileno()] if self.listener else [],
            )
            self.started_at = time.monotonic()

    def watch(self) -> str:
        """Restart the process if it died and is due; return a message about the event, or ''."""
        if self.process is None:
            if time.monotonic() >= self.due_at:
                self.start()
            return ""
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

    def kill(self) -> None:
        """Kill a hung process with its descendants; `watch` starts it again. SIGTERM would not reach it."""
        if self.process:
            _signal_group(self.process, signal.SIGKILL)

    def ask_to_stop(self) -> None:
        if self.process and self.process.poll() is None:
            _signal_group(self.process, signal.SIGTERM)

    def make_stop(self, deadline: float) -> None:
        if not self.process:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, deadline - time.monotonic()))
        _signal_group(self.process, signal.SIGKILL)  # also kills the child's own children
        self.process.wait()


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
    """Keep SIGTERM and SIGINT until a child is known here. Other threads than the main one run no handler.

    Python swallows what a handler raises in the callbacks of a fork, and a signal amid `Popen` would lose the child.
    A mask would not do: the kernel hands a signal to any thread, and Python its handler to the main one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    handlers = {number: signal.signal(number, lambda number, frame: arrived.append(number)) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if arrived:
            signal.raise_signal(arrived[0])


def die_with_parent() -> None:
    """Have the kernel stop this process when the supervisor dies, even by `kill -9` (Linux: PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _signal_group(process: subprocess.Popen, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def stop_all(keepers: list[Keeper]) -> None:
    """Stop every child with its descendants; kill those that do not stop."""
    for keeper in keepers:
        keeper.ask_to_stop()
    deadline = time.monotonic() + GRACE
    for keeper in keepers:
        keeper.make_stop(deadline)


def model_workers(command: list[str], env: dict[str, str], *, count: int, cards: int) -> list[Keeper]:
    """Model workers, which see one card each: one per graphics card, or `count` if that is more."""
    keepers = []
    for number in range(max(count, cards)):
        name = f"gpu worker {number + 1}" if max(count, cards) > 1 else "gpu worker"
        own = {"CUDA_VISIBLE_DEVICES": str(number % cards)} if cards and "CUDA_VISIBLE_DEVICES" not in env else {}
        keepers.append(Keeper(name, [*command, "-Q", "gpu", "-n", f"gpu{number + 1}@%h"], env | own))
    return keepers


def graphics_cards() -> int:
    """The number of NVIDIA cards, found without loading a library; 0 without the driver."""
    return len([path for path in Path("/dev").glob("nvidia*") if path.name.removeprefix("nvidia").isdigit()])


def metrics_folder(env: Mapping[str, str]) -> Path:
    """An empty folder in which the web processes of this `serve` share metrics; counters start at zero."""
    ours = (SHARED if os.access(SHARED, os.W_OK) else settings.VAR_DIR) / OURS
    for old in ours.glob("*"):
        if not Path("/proc", old.name).is_dir():
            shutil.rmtree(old, ignore_errors=True)
    chosen = Path(env.get(METRICS) or ours / str(os.getpid()))
    chosen.mkdir(parents=True, mode=0o700, exist_ok=True)
    for old in chosen.glob("*.db"):
        old.unlink(missing_ok=True)
    return chosen


def web_servers(python: list[str], env: dict[str, str], *, host: str, port: int) -> list[Keeper]:
    """The web processes; all accept connections from one socket, so that no request waits for a busy process.

    The socket is bound here, but nobody listens before the first process does: until then connections are refused.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    command = [*python, "benchsite.serving.web_server", f"fd:{listener.fileno()}"]
    # Eight threads keep what each once needed: boards of 100,000 cells held 885 MB, with two pools 594.
    env = {"MALLOC_ARENA_MAX": "2"} | env | {METRICS: str(metrics_folder(env))}
    return [Keeper(name, [*command, name], env, listener=listener) for name in numbered("web", settings.WEB_PROCESSES)]


def numbered(name: str, count: int) -> list[str]:
    """Numbered names: "web", "web 2", "web 3"."""
    return [name, *(f"{name} {number}" for number in range(2, count + 1))]


def services(
    *, host: str, port: int, socket_port: int, env: dict[str, str], parts: Collection[str] = PARTS
) -> list[Keeper]:
    """The services of the wanted parts: web and websockets, gpu workers, the cpu worker, and the beat scheduler."""
    python = [sys.executable, "-m"]  # not the scripts in its folder, since Debian's pip installs them elsewhere
    celery = [*python, "celery", "-A", "benchsite", "--quiet"]
    worker = [*celery, "worker", "--loglevel", "WARNING", "--without-gossip", "--without-mingle", "-P", "solo"]
    sockets = [*python, "benchsite.serving.websocket_server", f"{host}:{socket_port}"]
    beat = [*celery, "beat", "--loglevel", "WARNING", "--pidfile="]
    found = {
        "web": [Keeper("websockets", sockets, env)],
        "gpu": model_workers(worker, env, count=settings.EVALUATION_WORKERS, cards=graphics_cards()),
        "cpu": [
            Keeper(name, [*worker, "-Q", "cpu,default", "-n", f"cpu{number if number > 1 else ''}@%h"], env)
            for number, name in enumerate(numbered("cpu worker", settings.CPU_WORKERS), 1)
        ],
        "clock": [Keeper("clock", beat, env)],
    }
    web = web_servers(python, env, host=host, port=port) if "web" in parts else []
    return web + [keeper for part in PARTS if part in parts for keeper in found[part]]
