"""The queue in a folder: kombu's `filesystem://`, whose messages can't be seen half written and never stop a worker.

kombu opens a message or a table of bindings under its final name and then fills it: a reader in another process may
meet an empty or a cut-off file, and a process killed meanwhile leaves one for good. Either ends the worker with a
JSONDecodeError. Here a file is filled under another name and then renamed; who removes a message first has it; and
what can't be read, whatever wrote it, is moved aside and logged.
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

UNREADABLE = "unreadable"  # folder beside the messages, where broken ones are kept for whoever wants to look
HALF_WRITTEN = ".part"
ABANDONED_AFTER = 60.0  # seconds; writing a message takes far less, so its writer is dead

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """kombu's channel with the reading and writing of files replaced; names of messages and folders stay its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (Path(self.data_folder_in), Path(self.data_folder_out), self.control_folder):
            folder.mkdir(parents=True, exist_ok=True)
            _clear_half_written(folder)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Add a message; names sort by the time of writing."""
        name = f"{time.time_ns():020}_{uuid.uuid4()}.{queue}.msg"
        _write(Path(self.data_folder_out) / name, dumps(payload))

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        """Take the oldest readable message of this queue; raises Empty where there is none."""
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
                path.unlink()  # of two workers one succeeds
                return payload
        raise Empty

    def _messages(self, queue: str) -> list[Path]:
        names = sorted(os.listdir(self.data_folder_in))
        return [Path(self.data_folder_in, name) for name in names if name.partition(".")[2] == f"{queue}.msg"]

    # --- which queues an exchange leads to: one small table a file, changed under a lock ---

    def get_table(self, exchange: str) -> list[exchange_queue_t]:
        """The bindings of this exchange; where their file is gone or broken, those that this process declared."""
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
    """What `filesystem://` stands for on this site (benchsite/celery.py)."""

    Channel = Channel


def _write(path: Path, text: str) -> None:
    """All of the file or none of it."""
    partial = path.with_name(f"{uuid.uuid4()}{HALF_WRITTEN}")
    partial.write_text(text)
    partial.replace(path)


def _move_aside(path: Path, error: Exception) -> None:
    """Keep what can't be read out of everybody's way; another process may have done so first."""
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
    """One change at a time; the lock ends with the process that holds it."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
