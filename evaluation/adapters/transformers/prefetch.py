"""Prefetches inputs: a thread prepares the next batch while the model answers one."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from evaluation.adapters.conversation import Talk

Make = Callable[[Sequence[Talk]], Any]


class Preparing:
    """Calls `make` for groups of talks, ahead of time or when they are taken.

    One thread makes all inputs, because two threads can't share a tokenizer. Only inputs that were started are held.
    """

    def __init__(self, make: Make) -> None:
        self.make = make
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="prepare")
        self._started: dict[tuple[int, ...], Future[Any]] = {}

    def __enter__(self) -> "Preparing":
        return self

    def __exit__(self, *error: object) -> None:
        """Drop inputs that nobody took, for example after a batch was split or the caller stopped."""
        for going in self._started.values():
            going.cancel()
        self._started.clear()

    def start(self, groups: Iterable[Sequence[Talk]]) -> None:
        """Start preparing these groups, unless already started."""
        for talks in groups:
            if (name := _name(talks)) not in self._started:
                self._started[name] = self._pool.submit(self.make, talks)

    def take(self, talks: Sequence[Talk]) -> Any:
        """The inputs of this group; raises what `make` raised."""
        going = self._started.pop(_name(talks), None) or self._pool.submit(self.make, talks)
        return going.result()


def _name(talks: Sequence[Talk]) -> tuple[int, ...]:
    """A key for a group: the ids of its talks and their numbers of replies."""
    return tuple(number for talk in talks for number in (id(talk), len(talk.replies)))
