"""The failure policy: what happens to a run if the fault is not in a single question.

A busy model, a full disk or an absent media store may recover: the run rests while others go on, and fails after half
an hour. Any other fault fails the run at once with a reason; `change_run resume` continues it once a person has fixed
the cause.
"""

import errno
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models.functions import Now

from benchmarks.errors import StoreAway
from evaluation.errors import CeilingReached, ModelOverloaded, OutOfMemory
from evaluation.models import Run, RunCode
from evaluation.runs.completion import fail_run

FIRST_REST, LONGEST_REST = timedelta(seconds=5), timedelta(minutes=5)
FULL = (errno.ENOSPC, errno.EDQUOT)
TORCHS = "OutOfMemoryError"  # recognised by name, so that torch need not be imported
WAITING_MENDS = (RunCode.MODEL_BUSY, RunCode.DISK_FULL, RunCode.STORE_AWAY)
DATABASE_IS_FULL = ("database or disk is full", "No space left on device")  # SQLite, PostgreSQL


def code_of(error: BaseException) -> str:
    """The code of a failure that affects the whole run; '' for an error that another attempt may avoid."""
    for each in _causes(error):
        if isinstance(each, MemoryError | OutOfMemory) or type(each).__name__ == TORCHS:
            return RunCode.OUT_OF_MEMORY
        if isinstance(each, OSError) and each.errno in FULL:
            return RunCode.DISK_FULL
        if isinstance(each, DatabaseError) and any(words in str(each) for words in DATABASE_IS_FULL):
            return RunCode.DISK_FULL
        if isinstance(each, StoreAway):
            return RunCode.STORE_AWAY
        if isinstance(each, CeilingReached):
            return RunCode.CEILING
    return RunCode.MODEL_BUSY if isinstance(error, ModelOverloaded) else ""


def reason_of(code: str, error: BaseException) -> str:
    """One sentence for people, with the error's own message."""
    message = f"{type(error).__name__}: {error}".strip(": ")
    return {
        RunCode.MODEL_BUSY: f"the model asks to wait: {error}",
        RunCode.STORE_AWAY: str(error),
        RunCode.CEILING: f"{error}; change_run resume goes on with a higher one (--most-cost, --most-tokens)",
        RunCode.DISK_FULL: f"no room left on the disk: {message}",
        RunCode.OUT_OF_MEMORY: f"out of memory: {message}; a smaller batch or a larger machine is needed",
    }.get(RunCode(code), message)


@transaction.atomic
def back_off(*, run_id: int, code: str, reason: str) -> bool:
    """Let the run rest, longer each time; False if its rests have lasted too long and it failed."""
    runs = Run.objects.unfinished().filter(pk=run_id)
    found = runs.select_for_update().annotate(now=Now()).values_list("now", "busy_since").first()
    if found is None:
        return True
    now, since = found[0], found[1] or found[0]
    if now - since > timedelta(seconds=settings.EVALUATION_BUSY_SECONDS):
        minutes = round((now - since).total_seconds() / 60)
        fail_run(run_id=run_id, code=code, reason=f"for {minutes} minutes: {reason}")
        return False
    runs.update(busy_since=since, rest_until=_backoff_end(now, since), code=code, reason=reason)
    return True


def _backoff_end(now: datetime, since: datetime) -> datetime:
    """The end of the next rest, which lasts as long as all waiting so far, within FIRST_REST and LONGEST_REST."""
    return now + min(max(now - since, FIRST_REST), LONGEST_REST)


def note_recovery(run_id: int) -> None:
    """End the rest of a run after a shard succeeded."""
    Run.objects.filter(pk=run_id, busy_since__isnull=False).update(busy_since=None, rest_until=None, code="", reason="")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and the chain of its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
