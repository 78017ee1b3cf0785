"""Letters about a submission: to its sender when staff decide, to staff when somebody asks. The page says the same."""

import logging

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse

from accounts.models import User
from accounts.roles import Role
from evaluation.models import Listing, Run

DECIDED = {Listing.LISTED: "is on the board", Listing.DECLINED: "was declined"}

log = logging.getLogger(__name__)


def tell(*, run: Run, by: User, reason: str = "") -> None:
    """Write to whom the step concerns; what can't be sent is logged, and loses nothing."""
    letter = _to_staff(run) if run.listing == Listing.SUBMITTED else _to_sender(run, by, reason)
    addresses, subject, sentence = letter
    if not addresses:
        return
    body = f"{sentence}\n\n{settings.SITE_URL}{reverse('submission', args=[run.pk])}\n"
    try:
        send_mail(f"benchsite: {subject}", body, None, addresses)
    except OSError as error:  # smtplib's errors are OSErrors, too
        log.warning("no letter about run %s could be sent: %s", run.pk, error)


def _to_staff(run: Run) -> tuple[list[str], str, str]:
    admins = User.objects.filter(is_active=True, role=Role.ADMIN) | User.objects.filter(
        is_active=True, is_superuser=True
    )
    addresses = sorted(set(admins.exclude(email="").values_list("email", flat=True)))
    return addresses, "a submission waits", f"{run.owner} asks for a row: {run.model} on {run.pack.full_title}."


def _to_sender(run: Run, by: User, reason: str) -> tuple[list[str], str, str]:
    """Nobody is told of what he did himself."""
    if run.listing not in DECIDED or run.owner is None or run.owner_id == by.pk or not run.owner.email:
        return [], "", ""
    said = DECIDED[Listing(run.listing)]
    onward = "Answer it on its page and submit again, or upload a better file."
    why = f"\n\nThe reason: {reason}\n\n{onward}" if reason else ""
    return [run.owner.email], f"{run.model.name} {said}", f"{run.model} on {run.pack.full_title} {said}.{why}"
