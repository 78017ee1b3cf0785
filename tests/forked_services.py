"""`python -m tests.forked_services serve …`: a site whose processes are forks of a loaded one, for tests.

Loading the site takes most of a small site's processor time. Everything else is as `serve` does it: commands,
environments, sessions, sockets, restarts and signals; the processes end with a killed `serve`, too.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from benchsite.supervisor.processes import Keeper
from tests.warm import Program


def start(keeper: Keeper) -> None:
    """What `Keeper.start` does, but with a fork."""
    files = [keeper.listener.fileno()] if keeper.listener else []
    how: Any = {"start_new_session": True, "ends_with_us": True, "pass_fds": files}
    keeper.process = Program(keeper.command[1:], keeper.env, **how)  # type: ignore[assignment]
    keeper.started_at = time.monotonic()


@contextmanager
def services_as_forks() -> Iterator[None]:
    """All that a `Keeper` starts meanwhile is a fork."""
    with patch.object(Keeper, "start", start):
        yield


if __name__ == "__main__":
    from benchsite.cli import main

    with services_as_forks():
        main()
