"""The queue of uploads: a process with limits checks them one at a time, so that the site stays fast.

The database holds the state, and Celery only wakes a worker. An upload is leased like a shard; if its process dies, the
sweep tries once more and then marks the upload as failed.
"""

import secrets
import subprocess
import sys
from collections.abc import Mapping
from typing import IO

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from accounts.models import User
from benchmarks import leasing
from benchmarks.encoding.limits import limit_memory, limit_time
from benchmarks.errors import StoreAway
from benchmarks.policy import KEEP
from evaluation.models import Upload, UploadState
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.files.rows import Spool
from evaluation.submissions.lint import reports
from evaluation.submissions.lint.check import LintReport
from evaluation.submissions.store.submit import SubmissionHasProblems, check_name, check_room, checked, submit

FOLDER = "uploads/waiting"
LEASE, BEAT = 60.0, 5.0  # seconds: of a lease, and between two updates of the progress
ATTEMPTS = 2
RETENTION = KEEP["refused uploads"].period
AT_ONCE = 3  # waiting uploads per sender
WAIT = 2.0  # seconds for which a sender waits for the result
TASK = "evaluation.tasks.check_uploads"
PROCESS = f"import django; django.setup(); from {__name__} import check_waiting; check_waiting()"
TOO_MUCH = "checking the file took too much time or memory: send a smaller one, or tell the site's staff"


def receive(*, file: IO[bytes], name: str, user: User, header: Mapping[str, str], only_check: bool = False) -> Upload:
    """Queue the file and wait a moment, in which most are checked; raises SubmissionRefused if it may not be stored."""
    check_name(name=header.get("model", ""), user=user)
    upload = put_aside(file=file, name=name, user=user, header=header, only_check=only_check)
    leasing.wait_for(upload, seconds=WAIT)
    if upload.state == UploadState.FAILED:  # its sender learns it now
        upload.delete()
        raise SubmissionRefused(upload.reason)
    return upload


def put_aside(*, file: IO[bytes], name: str, user: User, header: Mapping[str, str], only_check: bool = False) -> Upload:
    """Store the file and queue it for the checking process."""
    _check_waiting(user)
    facts = {"name": name[:200], "header": dict(header), "only_check": only_check}
    upload = Upload(key=secrets.token_hex(16), owner=user, **facts)
    default_storage.save(path_of(upload), File(file))
    try:
        with transaction.atomic():
            User.objects.select_for_update().get(pk=user.pk)  # two files can't both take the last place
            _check_waiting(user)
            upload.save()
    except SubmissionRefused:
        default_storage.delete(path_of(upload))
        raise
    notify_worker()
    return upload


def _check_waiting(user: User) -> None:
    """Raise SubmissionRefused if this user may not upload, or has AT_ONCE files waiting."""
    check_room(user)
    if Upload.objects.filter(leasing.still_open(Upload), owner=user).count() >= AT_ONCE:
        raise SubmissionRefused(f"{AT_ONCE} files of yours wait to be checked: send the next one after them")


def path_of(upload: Upload) -> str:
    return f"{FOLDER}/{upload.key}"


def place_of(upload: Upload) -> int:
    """The number of files that will be checked before this one."""
    return Upload.objects.filter(leasing.still_open(Upload), pk__lt=upload.pk).count()


@transaction.atomic
def take() -> Upload | None:
    """Lease the file that has waited longest; None if there is none or another file is being checked."""
    Upload.objects.select_for_update().filter(leasing.waits(Upload)).first()  # a second process waits here
    if is_checking():
        return None
    return leasing.take(
        Upload.objects.filter(leasing.waits(Upload), owner__isnull=False), seconds=LEASE, attempts=F("attempts") + 1
    )


def is_checking() -> bool:
    """Whether a file is being checked."""
    return Upload.objects.filter(leasing.running(Upload)).exists()


def check(upload: Upload, spool: Spool) -> None:
    """Lint and store the upload, and record the outcome for its sender."""
    assert upload.owner is not None
    state, result = UploadState.STORED, dict[str, object]()
    try:
        with default_storage.open(path_of(upload)) as file:
            if upload.only_check:
                found = checked(file=file, user=upload.owner, header=upload.header, spool=spool)
                state, result = UploadState.CHECKED, _reported(upload, found)
            else:
                result["run"] = submit(file=file, user=upload.owner, header=upload.header, spool=spool)
    except SubmissionHasProblems as refusal:
        state, result = UploadState.REFUSED, _reported(upload, refusal.report)
    except SubmissionRefused as refusal:
        state, result = UploadState.FAILED, {"reason": str(refusal)[:300]}
    except StoreAway:  # not the file's fault: the sweep tries again, and this attempt does not count
        leasing.give_back(upload, attempts=F("attempts") - 1)
        raise
    except MemoryError:
        state, result = UploadState.FAILED, {"reason": TOO_MUCH}
    if leasing.end(upload, state, ended_at=Now(), rows=spool.count, **result):
        default_storage.delete(path_of(upload))


def _reported(upload: Upload, report: LintReport) -> dict[str, object]:
    assert upload.owner is not None
    return {"report": reports.store_report(report=report, user=upload.owner, name=upload.name)}


def heartbeat(upload: Upload, spool: Spool) -> leasing.LeaseHeartbeat:
    """Renews the upload's lease and updates its progress while the main thread checks it."""
    return leasing.LeaseHeartbeat(upload, seconds=LEASE, every=BEAT, facts=lambda: {"rows": spool.count})


def start_checking() -> None:
    """Start a process that checks waiting uploads, unless one is running."""
    if Upload.objects.filter(leasing.waits(Upload)).exists() and not is_checking():
        begin_process()


def begin_process() -> None:
    """Check the waiting uploads in a process of this group, so that it ends with the site."""
    subprocess.Popen([sys.executable, "-c", PROCESS], cwd=settings.BASE_DIR)


def check_waiting() -> int:
    """Check the waiting files one by one, within limits on time and memory; returns their number."""
    checked = 0
    limit_memory(settings.UPLOAD_MEMORY_MB)
    while upload := take():
        limit_time(settings.UPLOAD_SECONDS)
        spool = Spool()
        with heartbeat(upload, spool):
            check(upload, spool)
        checked += 1
    return checked


def sweep() -> None:
    """Retry or fail uploads with an expired lease, delete old and ownerless ones, start checking those that wait."""
    _drop_ownerless()
    lost = Upload.objects.filter(leasing.expired(Upload))
    for upload in lost.filter(attempts__gte=ATTEMPTS):
        if leasing.end(upload, UploadState.FAILED, ended_at=Now(), reason=TOO_MUCH):
            default_storage.delete(path_of(upload))
    leasing.revoke(lost.filter(attempts__lt=ATTEMPTS), UploadState.WAITING)
    Upload.objects.filter(ended_at__lt=Now() - RETENTION).delete()
    start_checking()


def _drop_ownerless() -> None:
    """Delete the uploads of deleted accounts with their files and reports."""
    for upload in Upload.objects.filter(owner=None):
        default_storage.delete(path_of(upload))
        if upload.report:
            reports.drop(upload.report)
        upload.delete()


def notify_worker() -> None:
    """Wake a worker; if the broker is down, the sweep starts the checking later."""
    leasing.queue_task(TASK, expires=60)
