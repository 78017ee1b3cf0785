"""Quotas of a submitter: per UTC day, in total, and at once. Failed runs and early cancellations never count."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Q

from accounts.models import User
from benchmarks import leasing
from benchmarks.policy import DAY
from evaluation.models import Run, RunState, Spent


class QuotaSpent(Exception):
    """A quota is used up; the message names it and the time of its reset."""


@dataclass(frozen=True)
class Quota:
    """One limit: how much is used, and when it resets; None if waiting does not help."""

    name: str
    used: int
    limit: int
    resets_at: datetime | None = None

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)

    def __str__(self) -> str:
        until = f"; there is room again at {self.resets_at:%Y-%m-%d %H:%M} UTC" if self.resets_at else ""
        return f"you have {self.used} of {self.limit} submissions {self.name}{until}"


def quotas_of(user: User) -> list[Quota]:
    """The quotas per day, in total, and for unfinished runs, in this order."""
    today = leasing.database_now().replace(hour=0, minute=0, second=0, microsecond=0)
    is_today, is_busy = Q(created_at__gte=today), Q(state__in=Run.GOING)
    runs = Run.objects.filter(owner=user).counted().order_by()
    runs_used = runs.aggregate(today=Count("pk", filter=is_today), all=Count("pk"), now=Count("pk", filter=is_busy))
    spent = Spent.objects.filter(user=user).aggregate(today=Count("pk", filter=Q(at__gte=today)), all=Count("pk"))
    tomorrow = today + DAY
    return [
        Quota("today", runs_used["today"] + spent["today"], settings.SUBMISSIONS_A_DAY, tomorrow),
        Quota("in all", runs_used["all"] + spent["all"], settings.SUBMISSIONS_IN_ALL),
        Quota("under way at once", runs_used["now"], settings.SUBMISSIONS_AT_ONCE),
    ]


def check_quota(user: User | None) -> None:
    """Raise QuotaSpent for the first quota that is used up; staff and the site's own runs have none."""
    spent = [] if user is None or user.is_staff else [quota for quota in quotas_of(user) if not quota.left]
    if spent:
        raise QuotaSpent(str(spent[0]))


def note_deleted(run: Run) -> None:
    """Record a run that is deleted after its result was displayed, so that it still counts on its day."""
    if run.owner_id and Run.objects.filter(pk=run.pk).counted().exists() and run.state == RunState.FINISHED:
        Spent.objects.create(user_id=run.owner_id, at=run.created_at)
