"""Everything between a fresh folder and an answering site on one machine."""

import hashlib
import http.client
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path

from django.conf import settings
from django.db import connection

from benchsite.observing import health
from benchsite.processes import PARTS, Keeper, services, stop_all
from benchsite.upgrading import upgrade

SAYS_EVERY = 30.0  # seconds
DEATHS = 3  # in a row before it first answers: a process that ends by itself was not too slow


def is_free(host: str, port: int) -> bool:
    """Whether nothing listens there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port(host: str, *, beside: int | None = None) -> int:
    """A port that nothing listens on: the next one after `beside` where it is free."""
    if beside and beside < 65535 and is_free(host, beside + 1):
        return beside + 1
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def own_secret() -> str:
    """The installation's secret key, made once and readable by its owner alone."""
    path = settings.VAR_DIR / "secret-key"
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(48))
    return path.read_text().strip()


def site_secret() -> str:
    """What signs sessions and links under `serve`; single commands may run under the key of development."""
    return os.environ.get("SECRET_KEY") or own_secret()


def environment(*, port: int, socket_port: int) -> dict[str, str]:
    """What the children run under: production settings, with this machine's own secret."""
    defaults = {
        "DEBUG": "0",
        "SECRET_KEY": own_secret(),
        "ALLOWED_HOSTS": f"localhost,127.0.0.1,[::1],{socket.gethostname()}",
        "SITE_URL": f"http://localhost:{port}",
        "DATA_DIR": str(settings.DATA_DIR),
        "SOCKET_PORT": str(socket_port),
        "OMP_NUM_THREADS": str(os.cpu_count() or 1),
        "PYTHONUNBUFFERED": "1",
    }
    return defaults | dict(os.environ)


def _static_print() -> str:
    """Stands for every static file's name, size and time: unchanged means nothing to collect."""
    files = sorted(path for folder in settings.STATICFILES_DIRS for path in Path(folder).rglob("*") if path.is_file())
    lines = (f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def prepare(env: dict[str, str]) -> None:
    """Bring the tables and the static files up to date."""
    settings.MEDIA_ROOT.mkdir(parents=True, exist_ok=True)
    upgrade()
    stamp, now = settings.VAR_DIR / "static.stamp", _static_print()
    if stamp.is_file() and stamp.read_text() == now:
        return
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "-v", "0"]
    subprocess.run(command, cwd=settings.BASE_DIR, env=env, check=True)
    stamp.write_text(now)


def start_services(*, host: str, port: int, parts: Collection[str] = PARTS) -> tuple[list[Keeper], dict[str, str]]:
    """Start what answers pages; give all processes of these parts with the environment they run under.

    The others start once pages are answered: together they would want the processor for longer than a visitor waits.
    Where pages are answered elsewhere, so is the database made ready, and this waits for it.
    """
    socket_port = int(settings.SOCKET_PORT or free_port(host, beside=port))
    env = environment(port=port, socket_port=socket_port)
    if "web" in parts:
        prepare(env)
    keepers = services(host=host, port=port, socket_port=socket_port, env=env, parts=parts)
    if "web" in parts:
        keepers[0].start()
    return keepers, env


def what_workers_wait_for() -> str:
    """Why processes that need the site's tables can't start yet, in words; '' when they can."""
    try:
        found = ((what.__name__, what()) for what in (health.database, health.migrations))
        return next((f"{name}: {said}" for name, said in found if said), "")
    finally:
        connection.close()  # this process only keeps others alive


def wait_until_it_answers(
    host: str, port: int, keepers: list[Keeper], tell: Callable[[str], None] = lambda line: None
) -> bool:
    """True once `/healthz` answers, and all processes are started.

    A process that lives may take START_SECONDS, since a crowded machine needs minutes to load the site; False after
    that, or as soon as the process has ended DEATHS times in a row. `tell` gets what happens meanwhile, a line each.
    """
    web, began = keepers[0], time.monotonic()
    say_at = began + SAYS_EVERY
    while not _answers(host, port):
        if message := web.watch():
            tell(message)
        now = time.monotonic()
        if web.deaths >= DEATHS or now - began >= settings.START_SECONDS:
            return False
        if now >= say_at:
            tell(f"{web.name} is still starting, after {now - began:.0f} s of {settings.START_SECONDS} at most")
            say_at = now + SAYS_EVERY
        time.sleep(0.1)
    for keeper in keepers:
        keeper.watch()
    return True


def _answers(host: str, port: int) -> bool:
    call = http.client.HTTPConnection(host, port, timeout=5)
    try:
        call.request("GET", "/healthz", headers={"Host": "localhost"})
        return call.getresponse().status == 200
    except OSError:
        return False
    finally:
        call.close()


__all__ = ["free_port", "is_free", "start_services", "stop_all", "wait_until_it_answers", "what_workers_wait_for"]
