"""The way of an upload onto the board: private, submitted, listed or declined; every step is kept in its history."""

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from evaluation.models import Listing, Model, Run, RunState
from evaluation.submissions.problems import SubmissionRefused

# listing before -> what it may become
STEPS = {
    Listing.PRIVATE: {Listing.SUBMITTED},
    Listing.SUBMITTED: {Listing.PRIVATE, Listing.LISTED, Listing.DECLINED},
    Listing.LISTED: {Listing.PRIVATE, Listing.DECLINED},
    Listing.DECLINED: {Listing.SUBMITTED, Listing.LISTED},
}


def propose(*, run: Run, by: User) -> Run:
    """Ask staff to put this run on the board."""
    return _move(run=run, to=Listing.SUBMITTED, by=by)


def withdraw(*, run: Run, by: User) -> Run:
    """Take the run back: it leaves the board and is its owner's alone."""
    return _move(run=run, to=Listing.PRIVATE, by=by)


def list_run(*, run: Run, by: User) -> Run:
    """Put the run on the board."""
    return _move(run=run, to=Listing.LISTED, by=by)


def decline(*, run: Run, by: User, reason: str) -> Run:
    """Keep the run off the board, for a reason that its owner reads."""
    if not reason.strip():
        raise SubmissionRefused("say why: the reason is shown to the sender")
    return _move(run=run, to=Listing.DECLINED, by=by, reason=reason.strip())


@transaction.atomic
def delete_submission(*, run: Run) -> None:
    """Remove the run with its answers; its model goes too when nothing else is left of it."""
    model_id = run.model_id
    run.delete()
    Model.objects.filter(pk=model_id, kind="uploaded", runs=None).delete()


@transaction.atomic
def _move(*, run: Run, to: Listing, by: User, reason: str = "") -> Run:
    fresh = Run.objects.select_for_update().get(pk=run.pk)
    before = Listing(fresh.listing)
    if before == to:
        return fresh
    if to not in STEPS[before] or fresh.state != RunState.FINISHED:
        raise SubmissionRefused(f"run {fresh.pk} is {fresh.state} and {before.value}: it can't become {to.value}")
    entry = {"at": timezone.now().isoformat(), "by": by.username, "to": to.value, "reason": reason}
    fresh.card = {**fresh.card, "history": [*fresh.card.get("history", []), entry]}
    fresh.listing = to
    fresh.answers_version = F("answers_version") + 1
    fresh.save(update_fields=["card", "listing", "answers_version"])
    fresh.refresh_from_db()
    return fresh
