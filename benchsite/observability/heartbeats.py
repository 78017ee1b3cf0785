"""Heartbeats: each process records in the database that it is alive, so that a hanging process is noticed.

A thread of the process writes its row every `BEAT` seconds. A process that is stopped, or that blocks the interpreter,
does not write; one with a long task does. Times are the database's, since the clocks of machines differ.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import Error, connection
from django.db.models.functions import Now

from benchsite.models import Heartbeat

BEAT = 10.0  # seconds
SILENT = 40.0  # seconds without a heartbeat after which a process counts as ill
HUNG = 60.0  # seconds after which `serve` kills it and starts it again
FORGOTTEN = timedelta(days=1)  # a removed host is listed for this long
HOST = socket.gethostname()

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sign:
    """A process at its last heartbeat."""

    name: str
    kind: str
    host: str
    pid: int
    queues: str
    version: str
    last_task: str
    last_task_seconds: float | None  # age by the database's clock
    up_seconds: float
    silence: float  # seconds since the heartbeat

    @property
    def up_hours(self) -> float:
        return self.up_seconds / 3600

    @property
    def is_ill(self) -> bool:
        return self.silence > SILENT


@dataclass
class Heart:
    """The heartbeat of this process. `lives` returns False if the process hangs although its threads run."""

    name: str
    kind: str
    queues: Sequence[str] = ()
    lives: Callable[[], bool] = lambda: True
    afterwards: Callable[[], None] = lambda: None  # in the same thread after a heartbeat
    steady_since: float | None = None  # time.time() at the start of the current unbroken series of heartbeats
    _last: float = field(default=0.0, repr=False)

    def start(self) -> None:
        threading.Thread(target=self._beat_for_ever, name="heartbeat", daemon=True).start()

    def _beat_for_ever(self) -> None:
        while True:
            if self.lives() and not settings.MAINTENANCE:  # that setting is for work on the database
                self.beat()
            time.sleep(BEAT)

    def beat(self) -> None:
        """Write the row; an unreachable or migrating database is logged once, and the next beat tries again."""
        try:
            write(self)
            self._note_success()
            self.afterwards()
        except Error as error:
            if self.steady_since is not None or not self._last:
                log.warning("no heartbeat is written: %s", error)
            self.steady_since, self._last = None, time.time()
        finally:
            connection.close()

    def _note_success(self) -> None:
        """Record a heartbeat; a gap, for example while the machine slept, restarts the series."""
        now = time.time()
        if self.steady_since is None or not 0 <= now - self._last < 3 * BEAT:
            self.steady_since = now
        self._last = now


_task: tuple[str, float] | None = None  # the task begun last, and its start (time.monotonic())


def note_task(name: str) -> None:
    """Remember the task that this process began last; written with the next heartbeat."""
    global _task
    _task = (name, time.monotonic())


def write(heart: Heart) -> None:
    """Write this process's row; the first time it replaces its predecessors' rows. Raises django.db.Error."""
    task, ago = (_task[0], timedelta(seconds=time.monotonic() - _task[1])) if _task else ("", None)
    fields = {"seen_at": Now(), "last_task": task[:100], "last_task_at": None if ago is None else Now() - ago}
    own = Heartbeat.objects.filter(host=HOST, pid=os.getpid(), name=heart.name)
    if own.update(**fields):
        return
    forget_predecessors(heart.name)
    Heartbeat.objects.create(
        host=HOST,
        pid=os.getpid(),
        name=heart.name,
        kind=heart.kind,
        queues=",".join(sorted(heart.queues))[:100],
        version=settings.VERSION,
        started_at=Now(),
        **fields,
    )


def forget_predecessors(name: str) -> None:
    """Delete rows of this machine's ended processes, and of processes silent for long."""
    here = Heartbeat.objects.filter(host=HOST)
    gone = [row.pk for row in here if not is_running(row.pid) or row.pid == os.getpid()]
    Heartbeat.objects.filter(pk__in=gone).delete()
    here.filter(name=name, seen_at__lt=Now() - timedelta(seconds=SILENT)).delete()
    Heartbeat.objects.filter(seen_at__lt=Now() - FORGOTTEN).delete()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def forget(pids: Sequence[int]) -> None:
    """Delete the rows of this machine's processes that were ended on purpose, unless the database is away."""
    try:
        Heartbeat.objects.filter(host=HOST, pid__in=list(pids)).delete()
    except Error as error:
        log.warning("heartbeats of ended processes stay: %s", error)
    finally:
        connection.close()


def signs() -> list[Sign]:
    """Every process with a heartbeat within a day, by host and name. Raises django.db.Error."""
    rows = Heartbeat.objects.filter(seen_at__gte=Now() - FORGOTTEN).annotate(now=Now()).order_by("host", "name", "pid")
    return [
        Sign(
            name=row.name,
            kind=row.kind,
            host=row.host,
            pid=row.pid,
            queues=row.queues,
            version=row.version,
            last_task=row.last_task,
            last_task_seconds=max(0.0, (row.now - row.last_task_at).total_seconds()) if row.last_task_at else None,
            up_seconds=max(0.0, (row.now - row.started_at).total_seconds()),
            silence=max(0.0, (row.now - row.seen_at).total_seconds()),
        )
        for row in rows
    ]
