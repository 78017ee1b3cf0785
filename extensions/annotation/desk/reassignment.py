"""Reassigns answers of an annotation trial: they stop counting, and somebody else gets their tasks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from extensions.annotation.models import Task, TaskAnswer
from extensions.annotation.work.outcomes import settle
from extensions.annotation.work.stage_transitions import advance
from extensions.annotation.work.task_layout import move_to_new_sheets
from humantrials.assignment.claims import reopen
from humantrials.assignment.sheets import answers_changed
from humantrials.errors import BadAnswer
from humantrials.models import Participant, Sheet, SheetEventKind, Trial, TrialState

ASKING = (TrialState.OPEN, TrialState.PAUSED)


def must_be_asking(trial: Trial) -> None:
    """Raise BadAnswer if nobody can be asked any more."""
    if trial.state not in ASKING:
        way = "; open the trial first" if trial.state == TrialState.CLOSED else ""
        raise BadAnswer(f"{trial.slug} is {trial.state}, so no answer can be reassigned{way}")


def lock_sheets(sheets: Iterable[int]) -> None:
    """Lock people first, then sheets, as everywhere (leases.py)."""
    found = Sheet.objects.filter(pk__in=list(sheets))
    list(Participant.objects.select_for_update().filter(pk__in=found.values("holder")).order_by("pk"))
    list(found.select_for_update().order_by("pk"))


def ask_anew(trial: Trial, answers: Sequence[TaskAnswer], why: SheetEventKind) -> None:
    """Stop counting these answers, within a transaction and with their sheets locked; the work stays paid.

    A sheet whose tasks are all affected is reopened. From other sheets the tasks move to new sheets.
    """
    chosen = {answer.task_id for answer in answers}
    moving: list[Task] = []
    for sheet, tasks in _by_sheet(answers).items():
        if set(sheet.tasks.values_list("pk", flat=True)) <= chosen:
            reopen(sheet=sheet, why=why)
        else:
            moving += tasks
    TaskAnswer.objects.filter(task__in=moving).update(counts=False, is_surplus=True)
    move_to_new_sheets(trial, moving)
    settle(moving)
    advance(trial)
    answers_changed(trial.pk)


def _by_sheet(answers: Iterable[TaskAnswer]) -> dict[Sheet, list[Task]]:
    found: dict[Sheet, list[Task]] = defaultdict(list)
    for answer in answers:
        found[answer.task.sheet].append(answer.task)
    return found
