"""What may happen between two writes: a fault, or the work of a second connection to PostgreSQL."""

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

from django.apps import apps
from django.db import connection

WRITES = ("INSERT", "UPDATE", "DELETE")
PATIENCE = 30.0  # seconds
T = TypeVar("T")


class Fault(Exception):
    """What interrupts a write."""


@contextmanager
def fault_at_write(number: int) -> Iterator[None]:
    """Within the block, the write of this number raises Fault; those before it are done."""
    writes = itertools.count(1)

    def run(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        if sql.lstrip().startswith(WRITES) and next(writes) == number:
            raise Fault
        return execute(sql, *arguments)

    with connection.execute_wrapper(run):
        yield


def all_rows() -> dict[str, list[str]]:
    """Every row of every table."""
    models = apps.get_models(include_auto_created=True)
    return {one._meta.label: sorted(map(repr, one._base_manager.values_list())) for one in models}


def assert_all_or_nothing(act: Callable[[], object]) -> None:
    """Let each write of `act` fail in turn: nothing of it may stay. At last it is done whole."""
    before = all_rows()
    for number in itertools.count(1):
        try:
            with fault_at_write(number):
                act()
        except Fault:
            assert all_rows() == before, f"a fault at write {number} leaves what was written before it"
        else:
            break
    assert number > 2, "one write needs no transaction"


class SecondConnection:
    """Calls functions in another thread, with a connection of its own."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self.threads = threads

    def begin(self, act: Callable[[], T]) -> Future[T]:
        """Begin `act`; returns as soon as it is over or waits for what this connection has locked."""
        process: Future[int] = Future()

        def run() -> T:
            try:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT pg_backend_pid()")
                    process.set_result(cursor.fetchone()[0])
                return act()
            finally:
                connection.close()

        outcome = self.threads.submit(run)
        number = process.result(PATIENCE)
        while not (outcome.done() or _is_waiting(number)):
            wait([outcome], timeout=0.01)
        return outcome


def _is_waiting(process: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT EXISTS (SELECT FROM pg_locks WHERE pid = %s AND NOT granted)", [process])
        return bool(cursor.fetchone()[0])
