"""What becomes of a run when something goes wrong that is not the fault of one question.

Waiting can mend a busy model, a full disk and a media store that is away: the run rests, others go on, and after half
an hour in vain it fails.
Waiting mends nothing else: the run fails at once, in words, and `resume_run` goes on when a person has mended it.
"""

import errno
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models.functions import Now

from benchmarks.errors import StoreAway
from evaluation.errors import ModelBusy, OutOfMemory
from evaluation.finishing import fail_run
from evaluation.models import Run, RunCode

FIRST_REST, LONGEST_REST = timedelta(seconds=5), timedelta(minutes=5)
FULL = (errno.ENOSPC, errno.EDQUOT)
TORCHS = "OutOfMemoryError"  # told by its name: torch is not imported for it
WAITING_MENDS = (RunCode.MODEL_BUSY, RunCode.DISK_FULL, RunCode.STORE_AWAY)
DATABASE_IS_FULL = ("database or disk is full", "No space left on device")  # SQLite, PostgreSQL


def code_of(error: BaseException) -> str:
    """The code of a trouble that concerns the whole run; '' for an error that another attempt may not meet."""
    for each in _causes(error):
        if isinstance(each, MemoryError | OutOfMemory) or type(each).__name__ == TORCHS:
            return RunCode.OUT_OF_MEMORY
        if isinstance(each, OSError) and each.errno in FULL:
            return RunCode.DISK_FULL
        if isinstance(each, DatabaseError) and any(words in str(each) for words in DATABASE_IS_FULL):
            return RunCode.DISK_FULL
        if isinstance(each, StoreAway):
            return RunCode.STORE_AWAY
    return RunCode.MODEL_BUSY if isinstance(error, ModelBusy) else ""


def reason_of(code: str, error: BaseException) -> str:
    """One sentence for people, with what the error itself said."""
    said = f"{type(error).__name__}: {error}".strip(": ")
    return {
        RunCode.MODEL_BUSY: f"the model asks to wait: {error}",
        RunCode.STORE_AWAY: str(error),
        RunCode.DISK_FULL: f"no room left on the disk: {said}",
        RunCode.OUT_OF_MEMORY: f"out of memory: {said}; a smaller batch or a larger machine is needed",
    }.get(RunCode(code), said)


@transaction.atomic
def let_rest(*, run_id: int, code: str, reason: str) -> bool:
    """Nobody asks this run for a while, each time for longer; False when it has rested in vain for too long."""
    runs = Run.objects.unfinished().filter(pk=run_id)
    found = runs.select_for_update().annotate(now=Now()).values_list("now", "busy_since").first()
    if found is None:
        return True
    now, since = found[0], found[1] or found[0]
    if now - since > timedelta(seconds=settings.EVALUATION_BUSY_SECONDS):
        minutes = round((now - since).total_seconds() / 60)
        fail_run(run_id=run_id, code=code, reason=f"for {minutes} minutes: {reason}")
        return False
    runs.update(busy_since=since, rest_until=_rest_end(now, since), code=code, reason=reason)
    return True


def _rest_end(now: datetime, since: datetime) -> datetime:
    """As long again as it has waited so far."""
    return now + min(max(now - since, FIRST_REST), LONGEST_REST)


def note_recovery(run_id: int) -> None:
    """A shard went through: what the run waited for is over."""
    Run.objects.filter(pk=run_id, busy_since__isnull=False).update(busy_since=None, rest_until=None, code="", reason="")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what it was raised from or while handling."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
