"""Calls deep in the stack map no memory anew: Python 3.11 does so for each call across the end of a chunk."""

import resource

import pytest

from tests.deep_stack import with_room

CALLS = 2_000
DEEPEST = 300  # frames of a hundred bytes: chunks of 16 KiB end on the way there, wherever the first one began


def leaf() -> int:
    return 0


leaf.__code__ = leaf.__code__.replace(co_stacksize=100)  # larger than the step from one depth to the next


def faults_at(depth: int) -> int:
    """Page faults of a loop of calls that is so deep in the stack."""
    if depth:
        return faults_at(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(CALLS):
        leaf()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def most_faults() -> int:
    return max(faults_at(depth) for depth in range(DEEPEST))


def test_a_loop_maps_no_memory_however_deep_it_is():
    assert with_room(most_faults) < CALLS / 10


def test_it_returns_and_raises_what_the_call_does():
    assert with_room(divmod, 7, 2) == (3, 1)
    assert with_room(sorted, [1, 2], reverse=True) == [2, 1]
    with pytest.raises(ZeroDivisionError):
        with_room(divmod, 1, 0)
