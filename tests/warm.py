"""Runs Python programs in forks of a process that has loaded the site, which saves nearly all of their start.

Each new process loads the settings from its own environment, as usual; nothing that depends on them is loaded before.

    python -m tests.warm SOCKET

A connection sends the files for standard output, standard error and all else that the program inherits. A line of JSON
follows: arguments, environment, folder, whether the program has its own session, whether it ends with who started it,
and the numbers of the inherited files. It receives the new process's id and, at the end, its exit code, a line each.
"""

import atexit
import fcntl
import gc
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
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import django
import prometheus_client.values
from django.conf import LazySettings, global_settings, settings
from django.core.management import get_commands
from django.db import connections
from django.utils.functional import empty

ROOT = Path(__file__).resolve().parent.parent
STARTS_WITHIN = 300.0  # seconds
SERVER = "WARM_SERVER"  # the variable with which tests and programs find their server
# What programs load while they run; pages and commands have loaded all else.
LATER = "celery.app.amqp django.db.backends.postgresql.base django.db.migrations.autodetector openpyxl tqdm"
MOST_FILES = 8  # that a program is given at its start

started: list[subprocess.Popen] = []  # servers of this process


class Program:
    """A program that was started by a fork; as far as tests need, it is used like `subprocess.Popen`."""

    def __init__(
        self,
        arguments: list[str],
        env: Mapping[str, str],
        *,
        cwd: Path = ROOT,
        stdout: int = 1,
        stderr: int = 2,
        start_new_session: bool = False,
        ends_with_us: bool = False,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """Start `python ARGUMENTS` (a script or `-m` and a module); it has `pass_fds` under the same numbers.

        With `ends_with_us` it receives SIGTERM when this process ends or forgets it.
        """
        self.args = arguments
        self.returncode: int | None = None
        self.said = b""
        self.link = socket.socket(socket.AF_UNIX)
        self.link.settimeout(STARTS_WITHIN)
        self.link.connect(address_of_server())
        socket.send_fds(self.link, [b"x"], [stdout, stderr, *pass_fds])
        request = [arguments, dict(env), str(cwd), start_new_session, ends_with_us, list(pass_fds)]
        self.link.sendall(json.dumps(request).encode() + b"\n")
        self.pid = self._number()

    def _number(self) -> int:
        while b"\n" not in self.said:
            self.said += self.link.recv(64)
        line, _, self.said = self.said.partition(b"\n")
        return int(line)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, or the negative number of the signal that ended it."""
        if self.returncode is None:
            if not self.said and not select.select([self.link], [], [], timeout)[0]:
                assert timeout is not None
                raise subprocess.TimeoutExpired(self.args, timeout)
            self.returncode = self._number()
            self.link.close()
        return self.returncode

    def poll(self) -> int | None:
        try:
            return self.wait(0.0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def python(
    arguments: list[str], env: dict[str, str], *, cwd: Path = ROOT, stderr: int = subprocess.PIPE, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` (a script or `-m` and a module), as `subprocess.run` does."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        to = errors.fileno() if stderr == subprocess.PIPE else stderr
        program = Program(arguments, env, cwd=cwd, stdout=out.fileno(), stderr=to)
        try:
            code = program.wait(timeout)
        except subprocess.TimeoutExpired:
            program.kill()
            raise
        out.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read(), errors.read())


@cache
def address_of_server() -> str:
    """The address of the server that forked this process, of one that all tests share, or of one of its own."""
    address = os.environ.get(SERVER) or start_server()
    deadline = time.monotonic() + STARTS_WITHIN
    while not Path(address).exists():
        assert all(server.poll() is None for server in started), "python -m tests.warm ended"
        assert time.monotonic() < deadline, "no server of python -m tests.warm"
        time.sleep(0.05)
    return address


def start_server() -> str:
    """Start a server, which ends with this process: its address, which exists once the site is loaded."""
    address = str(Path(tempfile.mkdtemp(prefix="warm-")) / "socket")
    started.append(subprocess.Popen([sys.executable, "-m", "tests.warm", address], cwd=ROOT, stdin=subprocess.PIPE))
    return address


def serve(address: str) -> None:
    """Fork a process for each connection until standard input ends."""
    os.environ |= {"DATA_DIR": str(Path(address).parent), "DEBUG": "1", "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
    own = set(os.environ)
    load_site()
    by_loading = {name: value for name, value in os.environ.items() if name not in own} | {SERVER: address}
    running: dict[int, tuple[int, socket.socket]] = {}  # by the file descriptor that tells of a process's end
    starters: dict[socket.socket, int] = {}  # by the link that tells of its end: the process that ends, too
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{address}.new")
        server.listen(64)
        os.rename(f"{address}.new", address)
        while sys.stdin not in (ready := select.select([server, sys.stdin, *running, *starters], [], [])[0]):
            if server in ready:
                link, _ = server.accept()
                others = [number for open_, (_, other) in running.items() for number in (open_, other.fileno())]
                process, ends_with_starter = _started(link, by_loading, [server.fileno(), *others])
                running[os.pidfd_open(process)] = process, link
                if ends_with_starter:
                    starters[link] = process
            for ended in running.keys() & set(ready):
                os.close(ended)
                starters.pop(running[ended][1], None)
                _tell_end(*running.pop(ended))
            for link in starters.keys() & set(ready):
                os.kill(starters.pop(link), signal.SIGTERM)
    for process, _ in running.values():
        os.kill(process, signal.SIGKILL)


def load_site() -> None:
    """Load all pages and commands. The settings are forgotten: each program loads its own."""
    django.setup()
    importlib.import_module("benchsite.urls")
    for name, app in get_commands().items():
        if not app.startswith("django"):
            importlib.import_module(f"{app}.management.commands.{name}")
    for name in LATER.split():
        importlib.import_module(name)
    _forget_settings()
    gc.freeze()


def _forget_settings() -> None:
    """Let the next use of a setting load all anew; those that other libraries added when they were loaded are kept."""
    lazy: Any = settings
    kind: Any = LazySettings
    read = {*dir(global_settings), *dir(sys.modules["benchsite.settings"])}
    added = {name: value for name, value in vars(lazy._wrapped).items() if name.isupper() and name not in read}
    for name in [name for name in sys.modules if f"{name}.".startswith("benchsite.settings.")]:
        del sys.modules[name]
    load = kind._setup

    def load_and_add(self: Any, name: str | None = None) -> None:
        load(self, name)
        vars(self._wrapped).update(added)

    kind._setup = load_and_add
    lazy._wrapped = empty
    vars(connections).clear()
    connections.__init__()  # type: ignore[misc]  # the databases are settings, too


def _started(link: socket.socket, by_loading: dict[str, str], not_for_it: list[int]) -> tuple[int, bool]:
    """Fork the requested program, which tells its process id and closes the server's files.

    Returns that id, and whether the program ends with who started it.
    """
    _, files, *_ = socket.recv_fds(link, 1, MOST_FILES)
    with link.makefile() as asked:
        arguments, env, folder, has_session, ends_with_starter, numbers = json.loads(asked.readline())
    process = os.fork()
    if process == 0:
        if has_session:
            os.setsid()
        link.sendall(f"{os.getpid()}\n".encode())
        for number in (link.fileno(), *not_for_it):
            os.close(number)
        os.chdir(folder)
        _become(arguments, by_loading | env, files, numbers)
    for file in files:
        os.close(file)
    return process, ends_with_starter


def _tell_end(process: int, link: socket.socket) -> None:
    _, status = os.waitpid(process, 0)
    with link, suppress(OSError):  # whoever started it may have gone
        link.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def _become(arguments: list[str], env: dict[str, str], files: list[int], numbers: list[int]) -> NoReturn:
    """Run the program; `files` are its standard output and error, and those that shall have these numbers."""
    wanted = dict(zip((0, 1, 2, *numbers), (os.open(os.devnull, os.O_RDONLY), *files), strict=True))
    held = {number: fcntl.fcntl(file, fcntl.F_DUPFD, max(wanted) + 1) for number, file in wanted.items()}
    for file in wanted.values():
        os.close(file)
    for number, file in held.items():
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(env)
    prometheus_client.values.ValueClass = prometheus_client.values.get_value_class()  # shared or not
    os._exit(_exit_code(arguments))


def _exit_code(arguments: list[str]) -> int:
    """Run the program to its end as Python does, but for taking its memory apart, which takes a third of a command."""
    try:
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = arguments
            runpy.run_path(arguments[0], run_name="__main__")
        code = 0
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    serve(sys.argv[1])
