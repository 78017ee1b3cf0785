"""Starts a complete site on one machine, even from an empty folder."""

import hashlib
import hmac
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
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connection

from benchmarks.storage.folder import make_served
from benchsite.logs import health
from benchsite.serving import data_folder
from benchsite.serving.processes import PARTS, Keeper, services

SAYS_EVERY = 30.0  # seconds
OTHER_KEY = (
    "SECRET_KEY has changed since the last start: everybody has to sign in again, and links for forgotten passwords "
    "and to clips of hidden splits are void. API keys, open sessions of participants and links of studies stay valid."
)
DEATHS = 3  # consecutive deaths before the first answer: a process that exits is not just slow


def is_free(host: str, port: int) -> bool:
    """Whether nothing listens on this port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def free_port(host: str, *, beside: int | None = None) -> int:
    """A free port, preferably the one after `beside`."""
    if beside and beside < 65535 and is_free(host, beside + 1):
        return beside + 1
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


def port_of_websockets(host: str, port: int) -> int:
    """The port that SOCKET_URL names; the one after `port` where a proxy serves that address; else any free one."""
    named = settings.SOCKET_URL.removeprefix(":")
    return int(named) if named.isdigit() else port + 1 if named else free_port(host, beside=port)


def own_secret() -> str:
    """The installation's secret key, created once and readable only by its owner."""
    path = settings.VAR_DIR / "secret-key"
    data_folder.make(path.parent)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(handle, "w") as file:
        file.write(secrets.token_urlsafe(48))
    return path.read_text().strip()


def site_secret() -> str:
    """The key that signs sessions and links under `serve`; other commands may use the development key."""
    return os.environ.get("SECRET_KEY") or own_secret()


def key_print() -> str:
    """A fingerprint that shows whether two installations have the same SECRET_KEY, without revealing it."""
    return hmac.new(site_secret().encode(), b"backup", hashlib.sha256).hexdigest()[:16]


def another_key() -> str:
    """A warning if SECRET_KEY has changed since the last start, else ''."""
    from benchmarks.models import Key  # benches and crash tests import this module before apps are loaded

    now = key_print().encode()
    stored, _ = Key.objects.get_or_create(name="secret key print", defaults={"secret": now})
    if bytes(stored.secret) == now:
        return ""
    Key.objects.filter(pk=stored.pk).update(secret=now)
    return OTHER_KEY


def environment(*, port: int, socket_port: int) -> dict[str, str]:
    """The environment of the children: production settings with this machine's own secret."""
    defaults = {
        "DEBUG": "0",
        "SECRET_KEY": own_secret(),
        "ALLOWED_HOSTS": f"localhost,127.0.0.1,[::1],{socket.gethostname()}",
        "SITE_URL": f"http://localhost:{port}",
        "SOCKET_URL": f":{socket_port}",
        "OMP_NUM_THREADS": str(os.cpu_count() or 1),
        "PYTHONUNBUFFERED": "1",
    }
    # Children run in the project's folder, where a relative path would point elsewhere.
    return defaults | dict(os.environ) | {"DATA_DIR": str(settings.DATA_DIR)}


def static_print() -> str:
    """A fingerprint of the names, sizes and times of all static files; if unchanged, nothing must be collected."""
    files = sorted(Path(store.path(name)) for finder in get_finders() for name, store in finder.list([]))
    lines = (f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in files)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def prepare(env: dict[str, str]) -> None:
    """Bring tables, leases and static files up to date."""
    from benchsite.logs.heartbeats import end_standstill  # imports models, see `another_key`

    make_served(settings.MEDIA_ROOT)
    if health.migrations():
        call_command("migrate", verbosity=0, interactive=False)
    end_standstill()
    stamp, now = settings.VAR_DIR / "static.stamp", static_print()
    if stamp.is_file() and stamp.read_text() == now:
        return
    command = [sys.executable, "-m", "benchsite.cli", "collectstatic", "--noinput", "-v", "0"]
    subprocess.run(command, cwd=settings.BASE_DIR, env=env, check=True)
    stamp.write_text(now)


def start_services(*, host: str, port: int, parts: Collection[str] = PARTS) -> tuple[list[Keeper], dict[str, str], int]:
    """Start the web process; return the processes of all these parts, their environment and the websockets' port.

    The others start once pages are answered; all at once they would keep the processor busy for longer than a visitor
    waits. Without the web part another machine prepares the tables, and the caller waits for it.
    """
    socket_port = port_of_websockets(host, port)
    env = environment(port=port, socket_port=socket_port)
    if "web" in parts:
        prepare(env)
    data_folder.close_all(settings.VAR_DIR)
    keepers = services(host=host, port=port, socket_port=socket_port, env=env, parts=parts)
    if "web" in parts:
        keepers[0].start()
    return keepers, env, socket_port


def what_workers_wait_for() -> str:
    """Why processes that need the tables can't start yet; '' if they can."""
    try:
        found = ((what.__name__, what()) for what in (health.database, health.migrations))
        return next((f"{name}: {message}" for name, message in found if message), "")
    finally:
        connection.close()  # this process only supervises others


def wait_until_it_answers(
    host: str, port: int, keepers: list[Keeper], tell: Callable[[str], None] = lambda line: None
) -> bool:
    """Start all processes once `/healthz` answers and return True.

    A live process may take START_SECONDS, since a busy machine needs minutes to load the site. Returns False after that
    time, or once the web process has died DEATHS times in a row. `tell` gets a line per event.
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
