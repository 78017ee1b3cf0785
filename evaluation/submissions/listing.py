"""The way of an upload onto the board: private, submitted, listed or declined; every step is kept in its history."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from evaluation.models import Listing, Mark, Run, RunState
from evaluation.quotas import note_deleted
from evaluation.submissions.notices import tell
from evaluation.submissions.problems import SubmissionRefused
from evaluation.submissions.storing import remove_run

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


def list_run(*, run: Run, by: User, marks: Iterable[str] = ()) -> Run:
    """Put the run on the board, with what staff say about it."""
    return _move(run=run, to=Listing.LISTED, by=by, marks=marks)


def decline(*, run: Run, by: User, reason: str) -> Run:
    """Keep the run off the board, for a reason that its owner reads."""
    if not reason.strip():
        raise SubmissionRefused("say why: the reason is shown to the sender")
    return _move(run=run, to=Listing.DECLINED, by=by, reason=reason.strip())


def delete_submission(*, run: Run) -> None:
    """Remove the run with its answers; its model goes too when nothing else is left of it."""
    with transaction.atomic():
        fresh = Run.objects.select_for_update().get(pk=run.pk)
        note_deleted(fresh)
        Run.objects.filter(pk=run.pk).update(listing=Listing.PRIVATE, state=RunState.CANCELLED)
    remove_run(run)


def obstacle(run: Run, to: Listing) -> str:
    """Why the run can't take this step; '' where it can, or stands there already."""
    before = Listing(run.listing)
    if before == to or (to in STEPS[before] and run.state == RunState.FINISHED):
        return ""
    return f"run {run.pk} is {run.state} and {before.value}: it can't become {to.value}"


@transaction.atomic
def mark(*, run: Run, by: User, marks: Iterable[str]) -> Run:
    """Change what staff say about a run; it stays where it stands."""
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
    fresh.listing = to
    fresh.marks = fresh.marks if marks is None else _in_order(marks)
    _note(fresh, by=by, to=to.value, reason=reason)
    fresh.save(update_fields=["card", "listing", "marks", "answers_version"])
    fresh.refresh_from_db()
    transaction.on_commit(lambda: tell(run=fresh, by=by, reason=reason))
    return fresh


def _note(run: Run, *, by: User, to: str, reason: str) -> None:
    """Add a step to the run's history; its standing is computed anew."""
    entry = {"at": timezone.now().isoformat(), "by": by.username, "to": to, "reason": reason}
    run.card = {**run.card, "history": [*run.card.get("history", []), entry]}
    run.answers_version = F("answers_version") + 1


def _in_order(marks: Iterable[str]) -> list[str]:
    given = set(marks)
    if unknown := given - set(Mark.values):
        raise SubmissionRefused(f"there is no mark {sorted(unknown)[0]!r}; there are: {', '.join(Mark.values)}")
    return [name for name in Mark.values if name in given]
