"""Room on Python's stack for tests, whose calls are deep: pytest, its plugins, a client, middleware, a page, a query.

Python 3.11 keeps frames in chunks of 16 KiB. Where a loop deep in the stack calls across the end of a chunk, each call
maps a new one and unmaps it again (https://github.com/python/cpython/issues/142183), which took an eighth of the tests'
processor time. A frame that is larger than a chunk gets one of the next power of two, with room for all inner calls.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

SLOTS = 2**16  # of eight bytes each, half of a chunk of 1 MiB; memory that no call uses is never touched

P = ParamSpec("P")
T = TypeVar("T")


def with_room(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What this call returns; half a MiB of stack lies ready for the calls that it makes."""
    return call(*args, **kwargs)


with_room.__code__ = with_room.__code__.replace(co_stacksize=SLOTS)
