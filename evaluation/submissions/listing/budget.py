"""Limits how many runs with hidden answers are listed per calendar month, since each score reveals something about
them.

The limit applies both to the model and to its sender, because senders choose the names of models.
"""

from datetime import datetime

from django.conf import settings
from django.db.models import Q, QuerySet

from accounts.models import User
from benchmarks import leasing
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import Item
from evaluation.models import Cell, HiddenListing, Run
from evaluation.submissions.files.problems import SubmissionRefused


def spend(run: Run) -> None:
    """Count this listing, in the caller's transaction; raises SubmissionRefused if the month's budget is spent."""
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
