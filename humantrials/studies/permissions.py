"""Who may create and manage trials: authors their own, staff with the permission all of them."""

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
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
