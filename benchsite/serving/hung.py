"""Finds processes of this machine that run without heartbeats, so that `serve` restarts them."""

import time
from collections.abc import Sequence

from benchsite.logs import heartbeats
from benchsite.logs.heartbeats import HUNG, Heart
from benchsite.models import Heartbeat
from benchsite.serving.processes import Keeper


class HungProcesses:
    """The supervisor's own heartbeat, and after each one the silence of its children.

    It runs in a thread, so that a silent database does not delay the restart of dead processes.
    """

    def __init__(self, keepers: Sequence[Keeper]) -> None:
        self.keepers = keepers
        self.silence: dict[int, float] = {}  # seconds, by process id
        self.heart = Heart("serve", "supervisor", afterwards=self.look)

    def look(self) -> None:
        """Record silent children, but only while this process itself can write; otherwise the database hangs."""
        steady = time.time() - (self.heart.steady_since or time.time())
        self.silence = silent_children(self.keepers, heartbeats.signs()) if steady > HUNG else {}

    def kill(self) -> list[str]:
        """Kill hung processes; return a line for each."""
        silence, self.silence = self.silence, {}
        messages = []
        for keeper in self.keepers:
            pid = keeper.process.pid if keeper.process else 0
            if pid in silence:
                keeper.kill()
                messages.append(f"{keeper.name} was not heard for {silence[pid]:.0f} s: it is killed")
        return messages


def silent_children(keepers: Sequence[Keeper], signs: Sequence[Heartbeat]) -> dict[int, float]:
    """Seconds of silence of hung children, by process id.

    A row older than its process belongs to an earlier process with the same id.
    """
    ages = {
        keeper.process.pid: time.monotonic() - keeper.started_at
        for keeper in keepers
        if keeper.process and not keeper.once
    }
    here = {sign.pid: sign.silence for sign in signs if sign.host == heartbeats.HOST}
    return {pid: here[pid] for pid, age in ages.items() if HUNG < here.get(pid, 0.0) < age}
