"""Moves an upload between private, submitted, listed and declined; records each step and sends e-mails."""

import logging
from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.urls import reverse

from accounts.models import User
from accounts.roles import Role
from benchmarks import leasing
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import Item
from evaluation.models import Cell, HiddenListing, Listing, Run, RunState, SubmissionBadge
from evaluation.queue.quotas import note_deleted
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing.integrity import flag
from evaluation.submissions.store.submit import remove_run


def spend(run: Run) -> None:
    """Count the listing of a run with hidden answers, since each score reveals something about them.

    The limit of a calendar month applies to the model and to its sender, because senders choose the names of models.
    Part of the caller's transaction; raises SubmissionRefused if the month's budget is spent.
    """
    if HiddenListing.objects.filter(run=run.pk).exists() or not hides(run):
        return
    if run.owner_id:
        User.objects.select_for_update().get(pk=run.owner_id)  # two listings can't both take the last place
    now = leasing.database_now()
    used = spent_this_month(run, now)
    if used >= settings.HIDDEN_LISTINGS_A_MONTH:
        raise SubmissionRefused(
            f"{used} runs with withheld answers of this sender or model were listed this month, which is the limit"
            f" of a month: the next can be listed from {_next_month(now):%Y-%m-%d} on"
        )
    HiddenListing.objects.create(user_id=run.owner_id, model=run.model.slug, run=run.pk, at=now)


def hides(run: Run) -> bool:
    """Whether the run answers sealed items or items with withheld answers."""
    hidden = Item.objects.filter(pack=run.pack_id).exclude(open_to(PUBLIC, Fact.ANSWER))
    return Cell.objects.filter(run=run, item__in=hidden.order_by()).exists()


def spent_this_month(run: Run, now: datetime | None = None) -> int:
    """The number of listings of this model or sender in the calendar month (UTC)."""
    return _of(run).filter(at__gte=_first_of(now or leasing.database_now())).count()


def _of(run: Run) -> QuerySet[HiddenListing]:
    own = Q(model=run.model.slug) | (Q(user=run.owner_id) if run.owner_id else Q())
    return HiddenListing.objects.filter(own)


def _first_of(moment: datetime) -> datetime:
    return moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def _next_month(moment: datetime) -> datetime:
    first = _first_of(moment)
    return first.replace(year=first.year + first.month // 12, month=first.month % 12 + 1)


# listing -> the next ones allowed
STEPS = {
    Listing.PRIVATE: {Listing.SUBMITTED},
    Listing.SUBMITTED: {Listing.PRIVATE, Listing.LISTED, Listing.DECLINED},
    Listing.LISTED: {Listing.PRIVATE, Listing.DECLINED},
    Listing.DECLINED: {Listing.SUBMITTED, Listing.LISTED},
}


def propose(*, run: Run, by: User) -> Run:
    """Propose this run to staff for the leaderboard."""
    moved = _move(run=run, to=Listing.SUBMITTED, by=by)
    flag(moved)
    return moved


def withdraw(*, run: Run, by: User) -> Run:
    """Take the run off the leaderboard, so that only its owner sees it."""
    return _move(run=run, to=Listing.PRIVATE, by=by)


def list_run(*, run: Run, by: User, marks: Iterable[str] = ()) -> Run:
    """List the run on the leaderboard, with the badges that staff give it."""
    return _move(run=run, to=Listing.LISTED, by=by, marks=marks)


def decline(*, run: Run, by: User, reason: str) -> Run:
    """Keep the run off the leaderboard; its owner reads the reason."""
    if not reason.strip():
        raise SubmissionRefused("say why: the reason is shown to the sender")
    return _move(run=run, to=Listing.DECLINED, by=by, reason=reason.strip())


def delete_submission(*, run: Run) -> None:
    """Delete the run with its answers, and its model if that has no other run."""
    with transaction.atomic():
        fresh = Run.objects.select_for_update().get(pk=run.pk)
        note_deleted(fresh)
        Run.objects.filter(pk=run.pk).update(listing=Listing.PRIVATE, state=RunState.CANCELLED)
    remove_run(run)


def obstacle(run: Run, to: Listing) -> str:
    """Why the run can't take this step; '' if it can or already has."""
    before = Listing(run.listing)
    if before == to or (to in STEPS[before] and run.state == RunState.FINISHED):
        return ""
    return f"run {run.pk} is {run.state} and {before.value}: it can't become {to.value}"


@transaction.atomic
def set_badges(*, run: Run, by: User, marks: Iterable[str]) -> Run:
    """Change the badges of a run, but not its listing."""
    fresh = Run.objects.select_for_update().get(pk=run.pk)
    wanted = _in_order(marks)
    if wanted != fresh.marks:
        fresh.marks = wanted
        _note(fresh, by=by, to=fresh.listing, reason=", ".join(wanted) or "no marks")
        fresh.save(update_fields=["card", "marks", "answers_version"])
        fresh.refresh_from_db()
    return fresh


@transaction.atomic
def _move(*, run: Run, to: Listing, by: User, reason: str = "", marks: Iterable[str] | None = None) -> Run:
    fresh = Run.objects.select_for_update().get(pk=run.pk)
    before = Listing(fresh.listing)
    if before == to:
        return fresh
    if why := obstacle(fresh, to):
        raise SubmissionRefused(why)
    if to == Listing.LISTED:
        spend(fresh)
    fresh.listing = to
    fresh.marks = fresh.marks if marks is None else _in_order(marks)
    _note(fresh, by=by, to=to.value, reason=reason)
    fresh.save(update_fields=["card", "listing", "marks", "answers_version"])
    fresh.refresh_from_db()
    transaction.on_commit(lambda: tell(run=fresh, by=by, reason=reason))
    return fresh


def _note(run: Run, *, by: User, to: str, reason: str) -> None:
    """Add a step to the run's history, and have its standing recomputed."""
    entry = {"at": leasing.database_now().isoformat(), "by": by.username, "to": to, "reason": reason}
    run.card = {**run.card, "history": [*run.card.get("history", []), entry]}
    run.answers_version = F("answers_version") + 1


def _in_order(marks: Iterable[str]) -> list[str]:
    wanted = set(marks)
    if unknown := wanted - set(SubmissionBadge.values):
        raise SubmissionRefused(
            f"there is no mark {sorted(unknown)[0]!r}; there are: {', '.join(SubmissionBadge.values)}"
        )
    return [name for name in SubmissionBadge.values if name in wanted]


DECIDED = {Listing.LISTED: "is on the board", Listing.DECLINED: "was declined"}

log = logging.getLogger(__name__)


def tell(*, run: Run, by: User, reason: str = "") -> None:
    """Send an e-mail on the step to staff or to the sender; a failure is only logged."""
    letter = _to_staff(run, by) if run.listing == Listing.SUBMITTED else _to_sender(run, by, reason)
    addresses, subject, sentence = letter
    if not addresses:
        return
    body = f"{sentence}\n\n{settings.SITE_URL}{reverse('submission', args=[run.pk])}\n"
    try:
        send_mail(f"benchsite: {subject}", body, None, addresses)
    except OSError as error:  # smtplib's errors are OSErrors, too
        log.warning("no letter about run %s could be sent: %s", run.pk, error)


def _to_staff(run: Run, by: User) -> tuple[list[str], str, str]:
    admins = User.objects.filter(is_active=True, role=Role.ADMIN) | User.objects.filter(
        is_active=True, is_superuser=True
    )
    addresses = sorted(set(admins.exclude(email="").exclude(pk=by.pk).values_list("email", flat=True)))
    return addresses, "a submission waits", f"{run.owner} asks for a row: {run.model} on {run.pack.full_title}."


def _to_sender(run: Run, by: User, reason: str) -> tuple[list[str], str, str]:
    """The e-mail to the sender about a decision; empty for the sender's own decision."""
    if run.listing not in DECIDED or run.owner is None or run.owner_id == by.pk or not run.owner.email:
        return [], "", ""
    verdict = DECIDED[Listing(run.listing)]
    onward = "Answer it on its page and submit again, or upload a better file."
    why = f"\n\nThe reason: {reason}\n\n{onward}" if reason else ""
    return [run.owner.email], f"{run.model.name} {verdict}", f"{run.model} on {run.pack.full_title} {verdict}.{why}"
