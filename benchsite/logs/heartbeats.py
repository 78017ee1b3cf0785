"""Heartbeats: each process writes a row every ten seconds, so that `serve` and `health` see one that hangs.

A process that is stopped, or that blocks the interpreter, does not write; one with a long task does. Times are the
database's, since the clocks of machines differ.
"""

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import psutil
from django.conf import settings
from django.db import Error, connection, transaction
from django.db.models import Q
from django.db.models.functions import Now

from benchmarks.leasing import stand_still
from benchmarks.policy import KEEP
from benchsite.models import SILENT, Heartbeat
from humantrials.models import Sheet

BEAT = 10.0  # seconds
HUNG = 60.0  # seconds without a heartbeat after which `serve` kills a process and starts it again
FORGOTTEN = KEEP["hosts"].period  # a removed host is listed for this long
HOST = socket.gethostname()

log = logging.getLogger(__name__)


@dataclass
class Heart:
    """The heartbeat of this process. `lives` returns False if the process hangs although its threads run."""

    name: str
    kind: str
    lives: Callable[[], bool] = lambda: True
    afterwards: Callable[[], None] = lambda: None  # in the same thread after a heartbeat
    steady_since: float = 0.0  # time.time() at the start of the current unbroken series of heartbeats
    _last: float = field(default=float("-inf"), repr=False)  # 0 after a failure

    def start(self) -> None:
        threading.Thread(target=self._beat_for_ever, name="heartbeat", daemon=True).start()

    def _beat_for_ever(self) -> None:
        while True:
            if self.lives():
                self.beat()
            time.sleep(BEAT)

    def beat(self) -> None:
        """Write the row; an unreachable or migrating database is logged once, and the next beat tries again."""
        now = time.time()
        try:
            write(self)
            if not 0 <= now - self._last < 3 * BEAT:  # the first one, or after a failure, or the machine slept
                self.steady_since = now
            self._last = now
            self.afterwards()
        except Error as error:
            if self._last:
                log.warning("no heartbeat is written: %s", error)
            self._last = 0.0
        finally:
            connection.close()


def write(heart: Heart) -> None:
    """Write this process's row; the first time it replaces its predecessors' rows. Raises django.db.Error."""
    own = Heartbeat.objects.filter(host=HOST, pid=os.getpid(), name=heart.name)
    if own.update(seen_at=Now(), has_ended=False):
        return
    # Rows of web processes tell the next start since when the site stands still: only a web process deletes them.
    old = Heartbeat.objects.filter(kind=heart.kind)
    ended = [row.pk for row in old.filter(host=HOST) if not psutil.pid_exists(row.pid)]
    silent = Q(host=HOST, name=heart.name, seen_at__lt=Now() - timedelta(seconds=SILENT))
    old.filter(Q(pk__in=ended) | silent | Q(seen_at__lt=Now() - FORGOTTEN)).delete()
    Heartbeat.objects.filter(host=HOST, pid=os.getpid()).delete()
    about = {"name": heart.name, "kind": heart.kind, "version": settings.VERSION}
    Heartbeat.objects.create(host=HOST, pid=os.getpid(), started_at=Now(), seen_at=Now(), **about)


def note_end(pids: Sequence[int]) -> None:
    """Note that these processes of this machine were ended on purpose, unless the database is away."""
    try:
        Heartbeat.objects.filter(host=HOST, pid__in=list(pids)).update(has_ended=True, seen_at=Now())
    except Error as error:
        log.warning("ended processes count as hung: %s", error)
    finally:
        connection.close()


@transaction.atomic
def end_standstill() -> int:
    """Extend the leases on sheets that ran while no web process of any machine did; return how many."""
    of_web = Heartbeat.objects.select_for_update().filter(kind="web")
    last = max((row.seen_at for row in of_web), default=None)
    of_web.update(seen_at=Now())  # a second machine that starts now finds no standstill
    return stand_still(Sheet.objects.all(), last) if last else 0


def signs() -> list[Heartbeat]:
    """Every process with a heartbeat within a day, by host and name. Raises django.db.Error."""
    present = Heartbeat.objects.filter(seen_at__gte=Now() - FORGOTTEN, has_ended=False)
    return list(present.annotate(now=Now()).order_by("host", "name", "pid"))  # type: ignore[no-redef]
