"""Who may create and manage trials (authors their own, staff with the permission all), and what answers they learn."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q

from accounts.models import User
from benchmarks.disclosure import STAFF, Reader
from humantrials.models import Trial, TrialState


def may_create(user: User | AnonymousUser) -> bool:
    """Whether the user is an author: has the permission to add trials."""
    return user.has_perm("humantrials.add_trial")


def may_manage(user: User | AnonymousUser, trial: Trial) -> bool:
    """Whether the user may open, close and watch this trial."""
    return user.has_perm("humantrials.change_trial") or (may_create(user) and trial.author_id == user.pk)


def seen_by(user: User | AnonymousUser) -> Q:
    """The trials that the user may know to exist: drafts are visible only to who manages them, and to staff."""
    if user.is_staff or user.has_perm("humantrials.change_trial"):
        return Q()
    return ~Q(state=TrialState.DRAFT) | (Q(author=user.pk) if may_create(user) else Q(pk=None))


def is_there_for(user: User | AnonymousUser, trial: Trial) -> bool:
    """Whether the user may know that the trial exists."""
    return trial.state != TrialState.DRAFT or Trial.objects.filter(seen_by(user), pk=trial.pk).exists()


def desk_reader(trial: Trial, user: User | AnonymousUser | None = None) -> Reader:
    """The reader of pages that manage this trial; by default its author. A trial without one is managed by staff."""
    manager = user or trial.author
    if manager is None or manager.is_staff:
        return STAFF
    studies = Trial.objects.filter(author=manager.pk).only("slug")
    return Reader(own_seals=frozenset({trial.seal_name, *(study.seal_name for study in studies)}))


def results_reader(trial: Trial) -> Reader:
    """The reader of this trial's results, which see through its own seal and through no other.

    Results are public, and figures of few people tell labels (decision 0012).
    """
    return Reader(own_seals=frozenset({trial.seal_name}))
