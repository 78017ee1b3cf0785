"""Kills a training at one of its steps, or ends it in this process as a power cut would."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
import torch
from torch import nn

from extensions.training.core.loop import Loop, Objective, Reached

Train = Callable[[Callable[[int], object]], object]
"""Trains; calls its argument with the number of each finished step."""


class PoweredOff(Exception):
    """The power of a training in this process went."""


def power_off_at(last: int) -> Callable[[int, int, float], None]:
    def watch(step: int, steps: int, loss: float) -> None:
        if step == last:
            raise PoweredOff

    return watch


def silent(*how_far: object) -> None:
    """Nobody watches."""


def assert_ended_alike(one: tuple[Objective, Reached], other: tuple[Objective, Reached]) -> None:
    """Equal losses, checks and weights."""
    assert (one[1].losses, one[1].checks) == (other[1].losses, other[1].checks)
    weights, others = one[0].network.state_dict(), other[0].network.state_dict()
    assert all(torch.equal(weights[name], others[name]) for name in weights)


def assert_power_cuts_change_nothing(made: Callable[[], Objective], place: Path, *, after: tuple[int, ...]) -> None:
    """Power cuts after these steps; the last training starts with other weights, so it must read the checkpoint."""
    whole, resumed = made(), made()
    for initial in resumed.network.parameters():
        nn.init.zeros_(initial)
    undisturbed = Loop(whole).run(silent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("extensions.training.core.loop.CHECKPOINT_SECONDS", -1)
        for last in after:
            with pytest.raises(PoweredOff):
                Loop(made(), place / "checkpoint").run(power_off_at(last))
        assert_ended_alike((whole, undisturbed), (resumed, Loop(resumed, place / "checkpoint").run(silent)))


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread: forks can't use others, and sums depend on their number."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def killed_after(step: int, train: Train) -> None:
    """Run the training in a fork of this process and end it with SIGKILL once it has reached this step.

    The fork can't use a pool of threads that this process has opened.
    """
    assert torch.get_num_threads() == 1
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _train_until_killed(train, writing)
    os.close(writing)
    with os.fdopen(reading) as told:
        while int(told.readline()) < step:
            pass
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGKILL


def _train_until_killed(train: Train, writing: int) -> NoReturn:
    try:
        train(lambda step: os.write(writing, b"%d\n" % step))
    finally:
        os._exit(1)
