"""Finds processes of this machine that run but no longer give a heartbeat, for `serve` to start again."""

import time
from collections.abc import Sequence

from benchsite.observability import heartbeats
from benchsite.observability.heartbeats import HUNG, Heart, Sign
from benchsite.supervisor.processes import Keeper


class HungProcesses:
    """The supervisor's own heartbeat, and after each the silence of its children.

    Runs in a thread, so that a database that does not answer holds up nobody who restarts dead processes.
    """

    def __init__(self, keepers: Sequence[Keeper]) -> None:
        self.keepers = keepers
        self.silence: dict[int, float] = {}  # seconds, by process id
        self.heart = Heart("serve", "supervisor", afterwards=self.look)

    def look(self) -> None:
        """Note who is silent, but only while this process itself could write: else the database is what hangs."""
        steady = time.time() - (self.heart.steady_since or time.time())
        self.silence = silent_children(self.keepers, heartbeats.signs()) if steady > HUNG else {}

    def kill(self) -> list[str]:
        """Kill those that hang; a line for each."""
        silence, self.silence = self.silence, {}
        messages = []
        for keeper in self.keepers:
            pid = keeper.process.pid if keeper.process else 0
            if pid in silence:
                keeper.kill()
                heartbeats.note_task(f"restarted {keeper.name}")
                messages.append(f"{keeper.name} was not heard for {silence[pid]:.0f} s: it is killed")
        return messages


def silent_children(keepers: Sequence[Keeper], signs: Sequence[Sign]) -> dict[int, float]:
    """Seconds of silence by process id of children that hang.

    A row that is older than its process was left by another one with the same id.
    """
    ages = {
        keeper.process.pid: time.monotonic() - keeper.started_at
        for keeper in keepers
        if keeper.process and not keeper.once
    }
    here = {sign.pid: sign.silence for sign in signs if sign.host == heartbeats.HOST}
    return {pid: here[pid] for pid, age in ages.items() if HUNG < here.get(pid, 0.0) < age}
