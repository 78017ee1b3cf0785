"""The queue in a folder: kombu's `filesystem://`, with files that are written completely or not at all.

kombu fills messages and bindings under their final names: another process may read half of one, and a killed process
leaves one for ever. Both end a worker. Here a message belongs to the process that deletes it.
"""

import logging
import os
import time
import uuid
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any

from kombu.transport import filesystem
from kombu.transport.filesystem import exchange_queue_t
from kombu.utils.json import dumps, loads

log = logging.getLogger(__name__)


class Channel(filesystem.Channel):
    """kombu's channel; names of messages and folders are the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for folder in (self.data_folder_in, self.data_folder_out, self.control_folder):
            Path(folder).mkdir(parents=True, exist_ok=True)

    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        """Add a message; names sort by time of writing."""
        _write(Path(self.data_folder_out, f"{time.time_ns():020}_{uuid.uuid4()}.{queue}.msg"), payload)

    def _get(self, queue: str) -> Any:  # type: ignore[override]
        """Take the oldest readable message of this queue; raises Empty if there is none."""
        for name in sorted(os.listdir(self.data_folder_in)):
            path = Path(self.data_folder_in, name)
            try:
                if name.partition(".")[2] == f"{queue}.msg":
                    payload = loads(path.read_text())
                    path.unlink()  # only one of two workers succeeds
                    return payload
            except FileNotFoundError:  # another worker took it
                continue
            except ValueError as error:
                log.warning("queue: %s can't be read and is set aside: %s", name, error)
                with suppress(FileNotFoundError):
                    path.rename(path.with_suffix(".unreadable"))
        raise Empty

    def _queue_bind(self, exchange: str, routing_key: str, pattern: str, queue: str) -> None:
        """Write a binding that is not there yet; nearly every process finds it there."""
        row, table = exchange_queue_t(routing_key or "", pattern or "", queue or ""), self.get_table(exchange)
        if row not in table:
            _write(self._exchange_file(exchange), [row, *table])


class Transport(filesystem.Transport):
    """The transport for `filesystem://` on this site (benchsite/celery.py)."""

    Channel = Channel


def _write(path: Path, content: Any) -> None:
    partial = path.with_name(f"{uuid.uuid4()}.part")
    partial.write_text(dumps(content))
    partial.replace(path)
