"""Untrusted boxes: an earlier form kept the first box even if another was drawn later.

Such a box has no `proof` (annotation/form_parsing.py). Staff confirm it on its picture, or send the clip out again.
"""

from collections.abc import Iterable

from django.db.models import QuerySet

from humantrials.models import ObjectState, ParticipantKind, TaskAnswer, Trial


def doubtful(trials: Iterable[Trial] | None = None) -> QuerySet[TaskAnswer]:
    """Counted answers about kept clips whose box has no proof, without simulated participants (who draw no boxes)."""
    found = TaskAnswer.objects.filter(
        counts=True, task__object__state=ObjectState.KEPT, content__has_key="box"
    ).exclude(participant__kind=ParticipantKind.SIMULATED)
    found = found if trials is None else found.filter(task__trial__in=list(trials))
    found = found.exclude(content__box__has_key="proof")
    return found.select_related("task__object__clip", "task__trial", "participant").order_by(
        "task__trial", "task__subject"
    )
