"""Processes that make clips, shared by all calls of `generate` in a session: starting them takes 3 s of a processor."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

import pytest


class ClipMakers:
    """Stands in for `ProcessPoolExecutor`: the pool of so many processes stays until it is broken or stopped."""

    def __init__(self, until_the_end: ExitStack) -> None:
        self.until_the_end = until_the_end
        self.pools: dict[int, ProcessPoolExecutor] = {}

    def __call__(self, jobs: int, **how: Any) -> AbstractContextManager[ProcessPoolExecutor]:
        if jobs not in self.pools or not is_usable(self.pools[jobs]):
            self.pools[jobs] = self.until_the_end.enter_context(ProcessPoolExecutor(jobs, **how))
        return nullcontext(self.pools[jobs])


def is_usable(pool: ProcessPoolExecutor) -> bool:
    return not pool._broken and not pool._shutdown_thread


@contextmanager
def clip_makers_stay() -> Iterator[None]:
    """Let all calls of `generate` within the block share their processes."""
    with ExitStack() as until_the_end, pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.generation.generate.ProcessPoolExecutor", ClipMakers(until_the_end))
        yield
