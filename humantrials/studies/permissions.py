"""Who may create and manage trials (authors their own, staff with the permission all), and what answers they learn."""

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from benchmarks.models import Item
from benchmarks.models.items import ItemQuerySet
from humantrials.models import Trial, TrialState


def may_create(user: User | AnonymousUser) -> bool:
    """Whether the user is an author: has the permission to add trials."""
    return user.has_perm("humantrials.add_trial")


def may_manage(user: User | AnonymousUser, trial: Trial) -> bool:
    """Whether the user may open, close and watch this trial."""
    return user.has_perm("humantrials.change_trial") or (may_create(user) and trial.author_id == user.pk)


def is_there_for(user: User | AnonymousUser, trial: Trial) -> bool:
    """Whether the user may know that the trial exists: a draft is visible only to its author and to staff."""
    return trial.state != TrialState.DRAFT or user.is_staff or may_manage(user, trial)


def known_items(trial: Trial, user: User | AnonymousUser | None = None) -> ItemQuerySet:
    """Items whose answers pages about this trial may tell, or tell something of, to this user; by default its author.

    Authors see through the seals of their own studies, staff through all, nobody a withheld answer. A trial without an
    author is managed by staff alone.
    """
    reader = user or trial.author
    if reader is None or reader.is_staff:
        return Item.objects.with_answers_behind(None)
    own = (study.seal_name for study in Trial.objects.filter(author=reader.pk).only("slug"))
    return Item.objects.with_answers_behind({trial.seal_name, *own})
