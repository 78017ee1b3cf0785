"""Hands a running site over to new processes with the present code on disk; `serve` does so on SIGHUP.

Web processes share one listening socket. Successors load the site beside their predecessors and wait at a gate. The
gate opens when the predecessors are told to stop; meanwhile connections wait in the socket's queue. So there is always
a process that answers, and never are pages of two versions served at once.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from django.conf import settings
from django.db import Error, connection

from benchsite import private_folder
from benchsite.observability import heartbeats
from benchsite.supervisor.processes import Keeper, stop_all

LOOKS_EVERY = 0.2  # seconds
BEFORE = (("upgrade",), ("collectstatic", "--noinput", "-v", "0"))  # run with the new version's code


class NotHandedOver(Exception):
    """The new version can't take over; the message says why in one sentence. The old processes continue."""


def hand_over(keepers: Sequence[Keeper], env: dict[str, str]) -> None:
    """Replace each service's process. Raises NotHandedOver, and then no process has changed."""
    web = [keeper for keeper in keepers if keeper.listener]
    for command in BEFORE if web else ():  # otherwise another machine prepares the tables
        done = subprocess.run([sys.executable, "manage.py", *command], cwd=settings.BASE_DIR, env=env, check=False)
        if done.returncode:
            raise NotHandedOver(f"manage.py {command[0]} of the new version ended with exit code {done.returncode}")
    private_folder.close_all(settings.VAR_DIR)  # static files are written for everybody
    replace_together(web, has_heartbeat, settings.START_SECONDS)
    others = [keeper for keeper in keepers if not (keeper.listener or keeper.once)]
    stop_all(others)
    for keeper in others:
        keeper.start()


def replace_together(keepers: Sequence[Keeper], is_ready: Callable[[int], bool], seconds: float) -> None:
    """Start a successor of each process; once all are ready, stop the predecessors and open the successors' gate."""
    old, new = [replace(one) for one in keepers], [replace(one, process=None, deaths=0) for one in keepers]
    held, gate = os.pipe()
    try:
        for one in new:
            one.start(gate=held)
        _wait_until_ready(new, is_ready, seconds)
        for keeper, one in zip(keepers, new, strict=True):
            keeper.process, keeper.started_at, keeper.deaths = one.process, one.started_at, 0
        for one in old:
            one.ask_to_stop()
    except NotHandedOver:
        stop_all(new)
        raise
    finally:
        os.close(gate)
        os.close(held)
    stop_all(old)  # waits for requests in progress


def _wait_until_ready(keepers: Sequence[Keeper], is_ready: Callable[[int], bool], seconds: float) -> None:
    deadline, waiting = time.monotonic() + seconds, list(keepers)
    while waiting:
        for one in waiting:
            if one.process and (code := one.process.poll()) is not None:
                raise NotHandedOver(f"{one.name} of the new version ended with exit code {code}")
        if time.monotonic() > deadline:
            raise NotHandedOver(f"{waiting[0].name} of the new version is not ready after {seconds:.0f} s")
        waiting = [one for one in waiting if one.process and not is_ready(one.process.pid)]
        time.sleep(LOOKS_EVERY)


def has_heartbeat(pid: int) -> bool:
    """Whether this process has sent a heartbeat; a web process does so once the site is loaded."""
    try:
        return any(sign.pid == pid and sign.host == heartbeats.HOST for sign in heartbeats.signs())
    except Error:
        return False
    finally:
        connection.close()
