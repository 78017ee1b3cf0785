"""The queue in a folder: kombu's `filesystem://` with atomic writes, so that no broken message stops a worker.

kombu creates a message or a binding table under its final name and then fills it. Another process may read an empty or
truncated file, and a killed process leaves one forever. Both end the worker with a JSONDecodeError. This version writes
a file under another name and then renames it, a message belongs to the worker that deletes it, and unreadable files are
moved aside and logged.
"""

import contextlib
import fcntl
import logging
import os
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.transport.filesystem import exchange_queue_t
from kombu.utils.json import dumps, loads

UNREADABLE = "unreadable"  # folder beside the messages for broken ones, kept for inspection
HALF_WRITTEN = ".part"
ABANDONED_AFTER = 60.0  # seconds; writing a message takes much less, so its writer is dead

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """kombu's channel with safe reading and writing of files; names of messages and folders are the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (Path(self.data_folder_in), Path(self.data_folder_out), self.control_folder):
            folder.mkdir(parents=True, exist_ok=True)
            _clear_half_written(folder)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Add a message; names sort by time of writing."""
        name = f"{time.time_ns():020}_{uuid.uuid4()}.{queue}.msg"
        _write(Path(self.data_folder_out) / name, dumps(payload))

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        """Take the oldest readable message of this queue; raises Empty if there is none."""
        for path in self._messages(queue):
            try:
                content = path.read_bytes()
                payload = loads(content.decode())
            except OSError:  # another worker took it
                continue
            except ValueError as error:
                _move_aside(path, error)
                continue
            with contextlib.suppress(FileNotFoundError):
                path.unlink()  # only one of two workers succeeds
                return payload
        raise Empty

    def _messages(self, queue: str) -> list[Path]:
        names = sorted(os.listdir(self.data_folder_in))
        return [Path(self.data_folder_in, name) for name in names if name.partition(".")[2] == f"{queue}.msg"]

    # --- bindings of exchanges to queues: one small file each, changed under a lock ---

    def get_table(self, exchange: str) -> list[exchange_queue_t]:
        """The bindings of this exchange; if their file is missing or broken, those declared by this process."""
        path = self._exchange_file(exchange)
        try:
            return [exchange_queue_t(*row) for row in loads(path.read_text())]
        except FileNotFoundError:
            pass
        except (ValueError, TypeError) as error:
            _move_aside(path, error)
        return [exchange_queue_t(*row) for row in self.state.exchanges.get(exchange, {}).get("table", ())]

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        row = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        self._change(exchange, lambda table: table if row in table else [row, *table])

    def _delete(self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any) -> None:
        self._purge(queue)
        row = exchange_queue_t(routing_key or "", pattern or "", queue or "")
        self._change(exchange, lambda table: [other for other in table if other != row])

    def _change(self, exchange: str, change: Callable[[list[exchange_queue_t]], list[exchange_queue_t]]) -> None:
        path = self._exchange_file(exchange)
        with _locked(self.control_folder):
            before = self.get_table(exchange)
            after = change(before)
            if after != before or not path.exists():
                _write(path, dumps(after))


class Transport(filesystem.Transport):
    """The transport for `filesystem://` on this site (benchsite/celery.py)."""

    Channel = Channel


def _write(path: Path, text: str) -> None:
    """Write the file completely or not at all."""
    partial = path.with_name(f"{uuid.uuid4()}{HALF_WRITTEN}")
    partial.write_text(text)
    partial.replace(path)


def _move_aside(path: Path, error: Exception) -> None:
    """Move an unreadable file aside; another process may have done so first."""
    folder = path.parent / UNREADABLE
    folder.mkdir(exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        size = path.stat().st_size
        path.rename(folder / path.name)
        log.warning("queue: %s can't be read (%d bytes, %s); moved to %s", path.name, size, error, folder)


def _clear_half_written(folder: Path) -> None:
    for path in folder.glob(f"*{HALF_WRITTEN}"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > ABANDONED_AFTER:
                path.unlink()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which the process's end releases, too."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
