"""Inputs made ahead: while the device generates one batch, the processor works on the next one in a thread."""

import copy
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from evaluation.adapters.talk import Talk

Make = Callable[[Sequence[Talk]], Any]


class Preparing:
    """Calls `make` for groups of talks, ahead of time or when they are taken.

    One thread makes all inputs: tokenizers can't be used by two threads at once. At most what was started is held.
    """

    def __init__(self, make: Make, *, ahead: bool) -> None:
        self.make = make
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="prepare") if ahead else None
        self._started: dict[tuple[int, ...], Future[Any]] = {}

    def __enter__(self) -> "Preparing":
        return self

    def __exit__(self, *error: object) -> None:
        """Let go of what nobody took: a batch that was cut otherwise, a caller who stopped."""
        for going in self._started.values():
            going.cancel()
        self._started.clear()

    def apart(self, tokenizer: Any) -> Any:
        """A tokenizer for the calling thread: the same one, or a copy where another thread works with it."""
        return copy.deepcopy(tokenizer) if self._pool else tokenizer

    def start(self, groups: Iterable[Sequence[Talk]]) -> None:
        """Make these next; what was started before is not made twice."""
        if self._pool is None:
            return
        for talks in groups:
            if (name := _name(talks)) not in self._started:
                self._started[name] = self._pool.submit(self.make, talks)

    def take(self, talks: Sequence[Talk]) -> Any:
        """The inputs of this group; raises what making them raised."""
        if self._pool is None:
            return self.make(talks)
        going = self._started.pop(_name(talks), None) or self._pool.submit(self.make, talks)
        return going.result()


def _name(talks: Sequence[Talk]) -> tuple[int, ...]:
    """A group by who is in it and how far each has come."""
    return tuple(number for talk in talks for number in (id(talk), len(talk.replies)))
