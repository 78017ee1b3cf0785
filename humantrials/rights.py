"""Who may make and run trials: authors their own, staff with the permission every one."""

from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from humantrials.models import Trial


def may_create(user: User | AnonymousUser) -> bool:
    """Authors: whoever was given the permission to add trials."""
    return user.has_perm("humantrials.add_trial")


def may_manage(user: User | AnonymousUser, trial: Trial) -> bool:
    """Open, close and watch this trial."""
    return user.has_perm("humantrials.change_trial") or (may_create(user) and trial.author_id == user.pk)
