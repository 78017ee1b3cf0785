"""Large files wait to be checked: one at a time, in a process with limits, so that pages are answered meanwhile.

The row is the truth and the queue only wakes: an upload is leased like a shard, and a process that died is noticed by
the sweep, which tries once more and then says that it failed.
"""

import secrets
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from typing import IO

from celery import current_app
from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.models import User
from benchmarks.errors import StoreAway
from evaluation.models import Run, Upload, UploadState
from evaluation.submissions import reports
from evaluation.submissions.opening import AT_ONCE_BYTES, is_within
from evaluation.submissions.problems import SubmissionRefused
from evaluation.submissions.spooling import Spool
from evaluation.submissions.submitting import SubmissionHasProblems, check_room, submit

FOLDER = "uploads/waiting"
LEASE = timedelta(seconds=60)
BEAT = 5.0  # seconds between two signs of life
ATTEMPTS = 2
KEPT = timedelta(days=7)  # as long as reports
AT_ONCE = 3  # of one sender waiting
TASK = "evaluation.tasks.check_uploads"
TOO_MUCH = "checking the file took too much time or memory: send a smaller one, or tell the site's staff"


def receive(*, file: IO[bytes], name: str, user: User, header: Mapping[str, str]) -> Run | Upload:
    """Check and store a small file at once; keep a large one for a process of its own. Both may refuse."""
    if is_within(file, AT_ONCE_BYTES):
        return submit(file=file, user=user, header=header)
    return put_aside(file=file, name=name, user=user, header=header)


def put_aside(*, file: IO[bytes], name: str, user: User, header: Mapping[str, str]) -> Upload:
    """Write the file where the checking process finds it."""
    check_room(user)
    if Upload.objects.filter(owner=user, state__in=(UploadState.WAITING, UploadState.CHECKING)).count() >= AT_ONCE:
        raise SubmissionRefused(f"{AT_ONCE} large files of yours wait to be checked: send the next one after them")
    upload = Upload(key=secrets.token_hex(16), owner=user, name=name[:200], header=dict(header))
    default_storage.save(path_of(upload), File(file))
    upload.save()
    transaction.on_commit(wake)
    return upload


def path_of(upload: Upload) -> str:
    return f"{FOLDER}/{upload.key}"


def place_of(upload: Upload) -> int:
    """How many files are checked before this one."""
    before = Upload.objects.filter(state__in=(UploadState.WAITING, UploadState.CHECKING), pk__lt=upload.pk)
    return before.count()


@transaction.atomic
def take() -> Upload | None:
    """Lease the file that has waited longest; None while another one is being checked."""
    upload = Upload.objects.select_for_update().filter(state=UploadState.WAITING).first()
    now = timezone.now()
    if upload is None or Upload.objects.filter(state=UploadState.CHECKING, lease_until__gt=now).exists():
        return None
    upload.state, upload.lease_until, upload.attempts = UploadState.CHECKING, now + LEASE, upload.attempts + 1
    upload.save(update_fields=["state", "lease_until", "attempts"])
    return upload


def check(upload: Upload, spool: Spool) -> None:
    """Lint and store it; what became of it is written down for its sender."""
    result: dict[str, object] = {"state": UploadState.STORED}
    try:
        with default_storage.open(path_of(upload)) as file:
            result["run"] = submit(file=file, user=upload.owner, header=upload.header, spool=spool)
    except SubmissionHasProblems as refusal:
        kept = reports.keep(report=refusal.report, user=upload.owner, name=upload.name)
        result = {"state": UploadState.REFUSED, "report": kept}
    except SubmissionRefused as refusal:
        result = {"state": UploadState.FAILED, "reason": str(refusal)[:300]}
    except StoreAway:  # says nothing about the file: the sweep takes it up again, and this attempt does not count
        Upload.objects.filter(pk=upload.pk).update(attempts=upload.attempts - 1)
        raise
    except MemoryError:
        result = {"state": UploadState.FAILED, "reason": TOO_MUCH}
    end(upload, rows=spool.count, **result)


def end(upload: Upload, **result: object) -> None:
    """Write down what became of it; the file itself is no longer needed."""
    Upload.objects.filter(pk=upload.pk).update(ended_at=timezone.now(), **result)
    default_storage.delete(path_of(upload))


class SignsOfLife(threading.Thread):
    """Renews the lease of the upload in hand and shows how far it is, however busy the checking is."""

    def __init__(self, upload: Upload, spool: Spool) -> None:
        super().__init__(daemon=True)
        self.upload, self.spool, self.over = upload, spool, threading.Event()

    def run(self) -> None:
        while not self.over.wait(BEAT):
            Upload.objects.filter(pk=self.upload.pk, state=UploadState.CHECKING).update(
                lease_until=timezone.now() + LEASE, rows=self.spool.count
            )
        connection.close()


def start_checking() -> None:
    """A process of its own for what waits, unless one is at work."""
    now = timezone.now()
    waits = Upload.objects.filter(state=UploadState.WAITING).exists()
    if waits and not Upload.objects.filter(state=UploadState.CHECKING, lease_until__gt=now).exists():
        begin_process()


def begin_process() -> None:
    """The command beside this, in this process' group: it ends with whoever ends the site."""
    subprocess.Popen([sys.executable, "manage.py", "check_uploads"], cwd=settings.BASE_DIR)


def sweep() -> None:
    """Take up again what a process left lying, forget what ended long ago, and see that what waits is checked."""
    now = timezone.now()
    for upload in Upload.objects.filter(state=UploadState.CHECKING, lease_until__lt=now):
        if upload.attempts >= ATTEMPTS:
            end(upload, state=UploadState.FAILED, reason=TOO_MUCH)
        else:
            Upload.objects.filter(pk=upload.pk, state=UploadState.CHECKING).update(state=UploadState.WAITING)
    Upload.objects.filter(ended_at__lt=now - KEPT).delete()
    start_checking()


def wake() -> None:
    """Tell a worker; where the queue is away, the sweep comes by."""
    with suppress(OperationalError, OSError):
        current_app.send_task(TASK, retry=False, expires=60)
