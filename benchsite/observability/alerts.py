"""Letters to staff (ALERT_EMAIL) about problems: a failing check, a hanging process, a stalled study.

Every web process checks once a minute, in the thread of its heartbeat. The row of a problem decides who writes, so that
several processes send one letter. A problem is reported when it has lasted a minute, and once more when it is over.
"""

import logging
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db import Error
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from benchsite.models import Incident, IncidentLetter
from benchsite.observability.health import look
from benchsite.observability.open_studies import open_studies
from evaluation.models import Run, RunState

EVERY = 60.0  # seconds between two checks by one process
LASTING = timedelta(seconds=60)  # a problem that passes sooner is not reported
PAUSE = timedelta(minutes=10)  # between two letters about one problem, so that an intermittent problem fills no inbox
OVER = "is well again"
FAILED_WITHIN = timedelta(hours=1)

log = logging.getLogger(__name__)
_looked_at = -EVERY


def look_each_minute() -> None:
    """Check unless this process did so within a minute; called after each heartbeat. Raises django.db.Error."""
    global _looked_at
    if not settings.ALERT_EMAIL or time.monotonic() - _looked_at < EVERY:
        return
    _looked_at = time.monotonic()
    try:
        tell(problems())
    except Error:
        raise
    except Exception:  # whatever it is: without its heartbeat this process would count as hung and be killed
        log.exception("staff could not be told of the problems")


def problems() -> dict[str, str]:
    """The present problems: a stable name of each -> one sentence."""
    found = {f"check: {name}": f"{name}: {message}" for name, message in look()[1].items() if message != "ok"}
    for study in open_studies():
        if study.stalled_since:
            since = f"{study.stalled_since:%Y-%m-%d %H:%M} UTC"
            found[f"study: {study.trial.slug}"] = f"study {study.trial.slug}: nobody finished since {since}"
    failed = Run.objects.filter(state=RunState.FAILED, finished_at__gte=timezone.now() - FAILED_WITHIN)
    if count := failed.count():
        newest = failed.latest("finished_at")
        found["runs"] = f"runs: {count} failed within an hour, the last one with {newest.code or 'no code'}"
    return found


def tell(found: Mapping[str, str]) -> None:
    """Store the problems, and write to staff about those that last or are over."""
    for name, message in found.items():
        row, _is_new = Incident.objects.get_or_create(name=name[:200], defaults={"said": message[:500]})
        Incident.objects.filter(pk=row.pk).update(said=message[:500], seen_at=Now())
    gone = Incident.objects.exclude(name__in=[name[:200] for name in found])
    _write("is ill", _claimed(Incident.objects.filter(name__in=[name[:200] for name in found]), IncidentLetter.OPEN))
    _write(OVER, _claimed(gone.filter(letter=IncidentLetter.OPEN), IncidentLetter.OVER))
    gone.filter(Q(letter=IncidentLetter.NONE) | Q(letter=IncidentLetter.OVER), seen_at__lt=Now() - PAUSE).delete()


def _claimed(rows: QuerySet[Incident], letter: str) -> list[Incident]:
    """The due rows that no letter has reported yet, claimed for this process."""
    is_due = Q(written_at=None) | Q(written_at__lt=Now() - PAUSE)
    lasts = Q(since__lt=Now() - LASTING) if letter == IncidentLetter.OPEN else Q(seen_at__lt=Now() - LASTING)
    due = rows.exclude(letter=letter).filter(is_due, lasts)
    return [row for row in due if due.filter(pk=row.pk).update(letter=letter, written_at=Now())]


def _write(state: str, incidents: Sequence[Incident]) -> None:
    """Send one letter about all of them; if that fails, the next check tries again."""
    if not incidents:
        return
    before = "Over; it was: " if state == OVER else ""
    body = "".join(f"{before}{row.said}\n" for row in incidents) + f"\n{settings.SITE_URL}/operations/\n"
    try:
        send_mail(f"benchsite: {incidents[0].name} {state}", body, None, settings.ALERT_EMAIL)
    except (SMTPException, OSError) as error:
        log.warning("no letter about %s could be sent: %s", incidents[0].name, error)
        for row in incidents:
            Incident.objects.filter(pk=row.pk).update(letter=row.letter, written_at=row.written_at)
