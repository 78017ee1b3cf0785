"""Chromium drops requests when this machine's network changes: whoever changes it waits for tests with a browser."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager


@contextmanager
def _locked(name: str, how: int) -> Iterator[None]:
    with open(f"{tempfile.gettempdir()}/benchsite-tests-{os.getuid()}-{name}.lock", "w") as lock:
        fcntl.flock(lock, how)
        yield


@contextmanager
def network_stays() -> Iterator[None]:
    with ExitStack() as stack:
        with _locked("turn", fcntl.LOCK_EX):  # or ever new browsers would keep everybody else waiting
            stack.enter_context(_locked("network", fcntl.LOCK_SH))
        yield


@contextmanager
def network_changes() -> Iterator[None]:
    with _locked("turn", fcntl.LOCK_EX), _locked("network", fcntl.LOCK_EX):
        yield
