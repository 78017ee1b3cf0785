"""Private Redis, PostgreSQL and object store, which can be killed or slowed without affecting others."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from benchsite.serving.processes import die_with_parent
from benchsite.serving.serve import free_port, is_free
from tests.deployment.bucket import BUCKET, address_of, client
from tests.services import answers
from tests.site import wait_for

QUIET: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


class Redis:
    """A Redis without persistence: killing it loses its data, which the site must survive."""

    def __init__(self) -> None:
        self.process: subprocess.Popen | None = None
        while not self.process or self.process.poll() is not None:  # another program has taken the free port
            self.port = free_port("127.0.0.1")
            self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = ["redis-server", "--port", str(self.port), "--save", "", "--appendonly", "no", "--dir", "/tmp"]
        process = self.process = subprocess.Popen(command, start_new_session=True, **QUIET)
        wait_for(lambda: process.poll() is not None or answers(self.url))

    def kill(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(10)


def postgres_tool(name: str) -> str:
    """The path of a program of PostgreSQL, in its newest version here."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return str((found[-1] if found else Path(shutil.which("initdb") or "/usr/bin/initdb").parent) / name)


def make_postgres(folder: Path) -> None:
    """An empty cluster in a new folder, whose user `postgres` needs no password on this machine."""
    folder.mkdir(parents=True)
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    _run("initdb", "-D", str(folder), "-U", "postgres", "-A", "trust", "--no-sync")


def _run(tool: str, *arguments: str) -> None:
    command = [postgres_tool(tool), *arguments]
    subprocess.run(command, check=True, cwd="/", user="postgres" if os.geteuid() == 0 else None, **QUIET)


class Postgres:
    """A PostgreSQL cluster in a folder, run as user `postgres` if we are root, which PostgreSQL refuses.

    Further settings (`fsync=off`) come last.
    """

    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder, self.port = folder, free_port("127.0.0.1")
        self.settings = ("unix_socket_directories=", "listen_addresses=127.0.0.1", "max_connections=120", *settings)
        make_postgres(folder)
        self.start()

    @property
    def url(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} " + " ".join(f"-c {setting}" for setting in self.settings)
        _run("pg_ctl", "-D", str(self.folder), "-l", str(self.folder / "log"), "-o", options, "-w", "start")

    def kill(self) -> None:
        """Stop at once without writing anything, as in a power failure."""
        _run("pg_ctl", "-D", str(self.folder), "-m", "immediate", "stop")
        time.sleep(0.2)


HOST = "127.0.0.1"
PIECE = 1 << 20  # bytes; a request of the site fits into one


class Store:
    """moto's server behind a proxy that delays requests by `delay` seconds or refuses connections."""

    def __init__(self, stack: ExitStack) -> None:
        self.delay = 0.0
        self._inside, self.port = free_port(HOST), free_port(HOST)
        self._open: set[socket.socket] = set()
        self._door: socket.socket | None = None
        command = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(self._inside)]
        process = subprocess.Popen(command, preexec_fn=die_with_parent, **QUIET)
        stack.callback(process.kill)
        wait_for(lambda: not is_free(HOST, self._inside), 600)
        self.come_back()
        stack.callback(self.leave)
        self._client = client(self.address)
        self._client.create_bucket(Bucket=BUCKET)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        return {"MEDIA_STORE": address_of(self.address)}

    def take_in(self, media: Path) -> None:
        """Upload all files of a site's media folder."""
        for path in media.rglob("*"):
            if path.is_file():
                self._client.upload_file(str(path), BUCKET, str(path.relative_to(media)))

    def come_back(self) -> None:
        self.delay = 0.0
        self._door = socket.create_server((HOST, self.port))
        threading.Thread(target=self._admit, args=(self._door,), daemon=True).start()

    def leave(self) -> None:
        """Stop listening and close all open connections."""
        door, self._door = self._door, None
        for each in (*([door] if door else []), *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _admit(self, door: socket.socket) -> None:
        while True:
            try:
                outside, _ = door.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(outside,), daemon=True).start()

    def _carry(self, outside: socket.socket) -> None:
        """Forward bytes in both directions until either side closes; requests are delayed."""
        with suppress(OSError, ValueError), outside, socket.create_connection((HOST, self._inside)) as inside:
            self._open.add(outside)
            while True:
                for one in select.select([outside, inside], [], [])[0]:
                    piece = one.recv(PIECE)
                    if not piece:
                        return
                    if one is outside:
                        time.sleep(self.delay)
                    (inside if one is outside else outside).sendall(piece)
        self._open.discard(outside)
