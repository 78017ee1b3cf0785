"""Runs Python programs in forks of a process with loaded libraries, which saves two thirds of their start.

Each new process loads settings and the site's modules from its own environment, as usual.

    python -m tests.warm SOCKET

A connection sends the files for standard output and standard error, then arguments, environment and folder as a line of
JSON. It receives the new process's id and, at the end, its exit code, a line each.
"""

import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parent.parent
STARTS_WITHIN = 300.0  # seconds
# Libraries of most commands that can be loaded before the settings are known.
LIBRARIES = (
    "numpy structlog yaml redis jwt sqlparse dateutil.parser prometheus_client tqdm PIL.Image openpyxl psycopg "
    "celery.app.base celery.app.amqp celery.utils.nodenames celery.signals kombu.messaging asgiref.sync "
    "channels.layers django.http django.core.management django.core.serializers.json django.core.mail "
    "django.core.checks django.db.models django.db.backends.sqlite3.base django.db.backends.postgresql.base "
    "django.forms django.urls django.db.migrations.autodetector django.template.loader "
    "django.template.defaulttags django.views.generic django.contrib.admin.utils django.contrib.messages.api "
    "django.contrib.staticfiles.finders django.middleware.csrf "
    "drf_spectacular.utils fido2.server jinja2 httpx requests markdown unittest.mock allauth.utils"
)


def python(
    arguments: list[str], env: dict[str, str], *, cwd: Path = ROOT, stderr: int = subprocess.PIPE, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` (a script or `-m` and a module), as `subprocess.run` does."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        files = [out.fileno(), errors.fileno() if stderr == subprocess.PIPE else stderr]
        code = _exit_code([arguments, env, str(cwd)], files, timeout)
        out.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), errors.read())


def _exit_code(program: list[Any], files: list[int], timeout: float) -> int:
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(timeout)
        link.connect(_server())
        socket.send_fds(link, [b"x"], files)
        link.sendall(json.dumps(program).encode() + b"\n")
        said = link.makefile()
        process = int(said.readline())
        try:
            return int(said.readline())
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            raise subprocess.TimeoutExpired(program[0], timeout) from None


@cache
def _server() -> str:
    """The address of this process's own server, which ends with this process."""
    address = Path(tempfile.mkdtemp(prefix="warm-")) / "socket"
    server = subprocess.Popen([sys.executable, "-m", "tests.warm", str(address)], cwd=ROOT, stdin=subprocess.PIPE)
    deadline = time.monotonic() + STARTS_WITHIN
    while not address.exists():
        assert server.poll() is None, "python -m tests.warm ended"
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return str(address)


def serve(address: str) -> None:
    """Fork a process for each connection until standard input ends."""
    for name in LIBRARIES.split():
        importlib.import_module(name)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{address}.new")
        server.listen(64)
        os.rename(f"{address}.new", address)
        while sys.stdin not in (ready := select.select([server, sys.stdin], [], [], 1.0)[0]):
            if ready:
                link, _ = server.accept()
                if os.fork() == 0:
                    server.close()
                    _run_for(link)
                link.close()
            _reap()


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _run_for(link: socket.socket) -> NoReturn:
    """Fork the requested program, wait for it, and send its exit code."""
    _, files, *_ = socket.recv_fds(link, 1, 2)
    with link.makefile() as asked:
        arguments, env, folder = json.loads(asked.readline())
    process = os.fork()
    if process == 0:
        link.close()
        os.chdir(folder)
        _become(arguments, env, files)
    link.sendall(f"{process}\n".encode())
    _, status = os.waitpid(process, 0)
    link.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(arguments: list[str], env: dict[str, str], files: list[int]) -> NoReturn:
    for number, file in enumerate((os.open(os.devnull, os.O_RDONLY), *files)):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(env)
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")
    sys.exit()


if __name__ == "__main__":
    serve(sys.argv[1])
