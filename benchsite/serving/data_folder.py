"""The data folder: closed to other users (database, key, queue, frames), and each part served by one supervisor.

The supervisors' locks end with their processes.
"""

import contextlib
import errno
import fcntl
import json
import os
import socket
import stat
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from django.conf import settings

OTHERS = 0o077  # permissions of the group and of everybody else
WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}  # of file systems that know none


def keep_new_files_private() -> None:
    """Create files as 600 and folders as 700 from now on, in this process and its children; media set their own."""
    os.umask(OTHERS)


def make(folder: Path) -> None:
    """Create the folder if it is missing, and close it to others, who then can't reach anything inside."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close(folder)


def close(path: Path) -> None:
    """Remove others' permissions; a file of another user, or on a read-only volume, stays as it is."""
    with contextlib.suppress(OSError):
        found = path.lstat()
        if found.st_mode & OTHERS and not stat.S_ISLNK(found.st_mode):
            path.chmod(stat.S_IMODE(found.st_mode) & ~OTHERS)


def close_all(folder: Path) -> None:
    """Close the folder and everything below it: files become 600 and folders 700."""
    make(folder)
    for here, folders, files in os.walk(folder):
        for name in (*folders, *files):
            close(Path(here, name))


class AlreadyServed(Exception):
    """Another process serves this folder; the message names the folder, the process and its port."""


@contextmanager
def held(parts: Collection[str], port: int) -> Iterator[None]:
    """Hold these parts of the data folder as long as the context lasts; AlreadyServed if one of them is held.

    The kernel frees the locks of a killed process. Machines may share a folder, so each has its own files.
    """
    make(settings.VAR_DIR)
    with ExitStack() as stack:
        files = [stack.enter_context(_place_of(part).open("a+")) for part in parts]
        for file in files:
            _lock(file)
        for file in files:
            file.truncate(0)
            file.write(json.dumps({"pid": os.getpid()} | ({"port": port} if "web" in parts else {})))
            file.flush()
        yield


def refuse_second(parts: Collection[str]) -> None:
    """Raise AlreadyServed if one of these parts is held; creates nothing."""
    for path in filter(Path.exists, map(_place_of, parts)):
        with path.open("a+") as file:
            _lock(file)


def _place_of(part: str) -> Path:
    return Path(settings.VAR_DIR) / f"serve-{socket.gethostname()}-{part}.lock"


def _lock(file: IO[str]) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise AlreadyServed(_words(file)) from None
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            raise


def _words(file: IO[str]) -> str:
    file.seek(0)
    try:
        holder = json.loads(file.read())
    except ValueError:  # it is just starting
        holder = {}
    port = f" on port {holder['port']}" if "port" in holder else ""
    who = f"process {holder['pid']}{port}" if "pid" in holder else "another process"
    return f"{settings.DATA_DIR} is served already by {who}: stop that one, or choose another folder with DATA_DIR"
