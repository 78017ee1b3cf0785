"""Everything between a fresh folder and an answering site on one machine."""

import hashlib
import http.client
import os
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from benchsite.processes import Keeper, services, stop_all

ANSWERS_WITHIN = 60.0  # seconds


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
    call_command("migrate", verbosity=0, interactive=False)
    stamp, now = settings.VAR_DIR / "static.stamp", _static_print()
    if stamp.is_file() and stamp.read_text() == now:
        return
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "-v", "0"]
    subprocess.run(command, cwd=settings.BASE_DIR, env=env, check=True)
    stamp.write_text(now)


def start_services(*, host: str, port: int) -> tuple[list[Keeper], dict[str, str]]:
    """Start what answers pages; give all processes of the site with the environment they run under.

    The others start once pages are answered: together they would want the processor for longer than a visitor waits.
    """
    socket_port = free_port(host, beside=port)
    env = environment(port=port, socket_port=socket_port)
    prepare(env)
    keepers = services(host=host, port=port, socket_port=socket_port, env=env)
    keepers[0].start()
    return keepers, env


def wait_until_it_answers(host: str, port: int, keepers: list[Keeper]) -> bool:
    """True once `/healthz` answers, and all processes are started; False when it does not within a minute."""
    begun = [keeper for keeper in keepers if keeper.started_at]
    deadline = time.monotonic() + ANSWERS_WITHIN
    while not (is_up := _answers(host, port)) and time.monotonic() < deadline:
        for keeper in begun:
            keeper.watch()
        time.sleep(0.1)
    if is_up:
        for keeper in keepers:
            keeper.watch()
    return is_up


def _answers(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


__all__ = ["free_port", "is_free", "start_services", "stop_all", "wait_until_it_answers"]
