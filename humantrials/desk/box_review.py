"""Staff's review of boxes without proof: confirm them on their pictures, or send their clips out again."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from django.db import transaction

from accounts.models import User
from humantrials.annotation.doubtful_boxes import doubtful
from humantrials.annotation.form_parsing import CONFIRMED
from humantrials.annotation.outcomes import settle
from humantrials.annotation.stage_transitions import advance
from humantrials.annotation.task_layout import move_to_new_sheets
from humantrials.assignment.claims import reopen
from humantrials.assignment.leases import answers_changed
from humantrials.errors import BadAnswer
from humantrials.models import Participant, Sheet, Task, TaskAnswer, Trial, TrialEvent, TrialState

ASKING = (TrialState.OPEN, TrialState.PAUSED)


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
    """Stop counting these answers and send their clips out again, to people who have not seen them; return how many.

    A sheet whose clips are all affected is reopened. From other sheets the clips move to new sheets.
    """
    if trial.state not in ASKING:
        way = "; open the trial first" if trial.state == TrialState.CLOSED else ""
        raise BadAnswer(f"{trial.slug} is {trial.state}, so nobody can be asked again{way}")
    _lock_sheets(trial, numbers)
    answers = _chosen(trial, numbers)
    chosen = {answer.task_id for answer in answers}
    moving: list[Task] = []
    for sheet, tasks in _by_sheet(answers).items():
        if set(sheet.tasks.values_list("pk", flat=True)) <= chosen:
            reopen(sheet=sheet, why="boxes asked again")
        else:
            moving += tasks
    TaskAnswer.objects.filter(task__in=moving).update(counts=False, is_surplus=True)
    move_to_new_sheets(trial, moving)
    settle(moving)
    advance(trial)
    answers_changed(trial.pk)
    _log(trial, "boxes asked again", answers, by)
    return len(answers)


def _chosen(trial: Trial, numbers: Sequence[int]) -> list[TaskAnswer]:
    """The unproven answers about these clips, locked against other decisions; every clip must have one."""
    pks = doubtful([trial]).filter(task__subject__in=numbers).values_list("pk", flat=True)
    locked = TaskAnswer.objects.select_for_update(of=("self",)).filter(pk__in=list(pks), counts=True)
    found = list(locked.select_related("task__object", "task__sheet").order_by("task__subject"))
    if missing := sorted(set(numbers) - {answer.task.subject for answer in found}):
        raise BadAnswer(f"clip {missing[0]} does not wait for a look (any more); nothing was changed")
    return found


def _lock_sheets(trial: Trial, numbers: Sequence[int]) -> None:
    """Lock people first, then sheets, as everywhere (leases.py)."""
    pks = list(doubtful([trial]).filter(task__subject__in=numbers).values_list("task__sheet", flat=True))
    sheets = Sheet.objects.filter(pk__in=pks)
    list(Participant.objects.select_for_update().filter(pk__in=sheets.values("holder")).order_by("pk"))
    list(sheets.select_for_update().order_by("pk"))


def _by_sheet(answers: Iterable[TaskAnswer]) -> dict[Sheet, list[Task]]:
    found: dict[Sheet, list[Task]] = defaultdict(list)
    for answer in answers:
        found[answer.task.sheet].append(answer.task)
    return found


def _log(trial: Trial, kind: str, answers: Sequence[TaskAnswer], by: User | None) -> None:
    if answers:
        clips = ", ".join(str(answer.task.subject) for answer in answers)
        TrialEvent.objects.create(trial=trial, kind=kind, note=f"clips {clips}"[:300], by=by)
