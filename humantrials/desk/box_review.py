"""Staff's review of boxes without proof: confirm them on their pictures, or send their clips out again."""

from collections.abc import Sequence

from django.db import transaction

from accounts.models import User
from humantrials.annotation.doubtful_boxes import doubtful
from humantrials.annotation.form_parsing import CONFIRMED
from humantrials.desk.reassignment import ask_anew, lock_sheets, must_be_asking
from humantrials.errors import BadAnswer
from humantrials.models import TaskAnswer, Trial, TrialEvent


@transaction.atomic
def confirm_boxes(*, trial: Trial, numbers: Sequence[int], by: User | None = None) -> int:
    """Confirm the boxes of these clips after a check by staff; return how many."""
    answers = _chosen(trial, numbers)
    for answer in answers:
        answer.content["box"]["proof"] = CONFIRMED
        answer.save(update_fields=["content"])
    _log(trial, "boxes confirmed", answers, by)
    return len(answers)


@transaction.atomic
def ask_again(*, trial: Trial, numbers: Sequence[int], by: User | None = None) -> int:
    """Send these clips out again, to people who have not seen them; return how many. Their answers stop counting."""
    must_be_asking(trial)
    lock_sheets(doubtful([trial]).filter(task__subject__in=numbers).values_list("task__sheet", flat=True))
    answers = _chosen(trial, numbers)
    ask_anew(trial, answers, "boxes asked again")
    _log(trial, "boxes asked again", answers, by)
    return len(answers)


def _chosen(trial: Trial, numbers: Sequence[int]) -> list[TaskAnswer]:
    """The unproven answers about these clips, locked against other decisions; every clip must have one."""
    pks = doubtful([trial]).filter(task__subject__in=numbers).values_list("pk", flat=True)
    locked = TaskAnswer.objects.select_for_update(of=("self",)).filter(pk__in=list(pks), counts=True)
    found = list(locked.select_related("task__object", "task__sheet").order_by("task__subject"))
    if missing := sorted(set(numbers) - {answer.task.subject for answer in found}):
        raise BadAnswer(f"clip {missing[0]} does not wait for a review (any more); nothing was changed")
    return found


def _log(trial: Trial, kind: str, answers: Sequence[TaskAnswer], by: User | None) -> None:
    if answers:
        clips = ", ".join(str(answer.task.subject) for answer in answers)
        TrialEvent.objects.create(trial=trial, kind=kind, note=f"clips {clips}"[:300], by=by)
