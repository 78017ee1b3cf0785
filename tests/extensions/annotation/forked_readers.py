"""Processes that analyse uploaded files, forked from one that has loaded torch: each start would load it in 2.5 s."""

import os
import sys
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.encoding import sandbox

READER = "extensions.annotation.analysis.child"
LIBRARIES = [READER, "extensions.annotation.analysis.speech"]
start_process = sandbox.started


def started(module: str, *limits: int) -> Any:
    """As `sandbox.started`; other modules than the reader of uploaded files start as usual."""
    return ForkedReader(*limits) if module == READER else start_process(module, *limits)


class ForkedReader:
    """A fork with the pipes, the environment and the limits of a process that `sandbox.started` starts."""

    def __init__(self, megabytes: int) -> None:
        context = get_context("forkserver")
        context.set_forkserver_preload(LIBRARIES)
        (its_input, order), (answers, its_output) = context.Pipe(duplex=False), context.Pipe(duplex=False)
        self.process = context.Process(target=_read, args=(its_input, its_output, megabytes))
        self.process.start()
        its_input.close()
        its_output.close()  # otherwise the answers would not end with the process
        self.stdin, self.stdout = (
            os.fdopen(os.dup(end.fileno()), mode) for end, mode in ((order, "w"), (answers, "r"))
        )
        self.kill, self.wait = self.process.kill, self.process.join


def _read(order: Connection, answers: Connection, megabytes: int) -> None:
    from extensions.annotation.analysis import child

    os.environ.clear()
    os.environ.update(sandbox.BARE)
    for number, end in enumerate((order, answers)):
        os.dup2(end.fileno(), number)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdin = os.fdopen(0)
    child.main(megabytes)
