"""Private Redis and PostgreSQL servers, which can be killed without affecting others."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from benchsite.serving.serve import free_port
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


class Postgres:
    """A PostgreSQL cluster in a folder, run as user `postgres` if we are root, which PostgreSQL refuses.

    Further settings (`fsync=off`) come last.
    """

    def __init__(self, folder: Path, *settings: str) -> None:
        self.folder, self.port = folder, free_port("127.0.0.1")
        self.settings = ("unix_socket_directories=", "listen_addresses=127.0.0.1", "max_connections=120", *settings)
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        self.tools = found[-1] if found else Path(shutil.which("initdb") or "/usr/bin/initdb").parent
        folder.mkdir(parents=True)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        self._run("initdb", "-D", str(folder), "-U", "postgres", "-A", "trust", "--no-sync")
        self.start()

    @property
    def url(self) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        options = f"-p {self.port} " + " ".join(f"-c {setting}" for setting in self.settings)
        self._run("pg_ctl", "-D", str(self.folder), "-l", str(self.folder / "log"), "-o", options, "-w", "start")

    def kill(self) -> None:
        """Stop at once without writing anything, as in a power failure."""
        self._run("pg_ctl", "-D", str(self.folder), "-m", "immediate", "stop")
        time.sleep(0.2)

    def _run(self, tool: str, *arguments: str) -> None:
        command = [str(self.tools / tool), *arguments]
        subprocess.run(command, check=True, cwd="/", user="postgres" if os.geteuid() == 0 else None, **QUIET)
