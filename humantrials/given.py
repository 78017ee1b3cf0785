"""What people gave on a sheet, whichever kind of trial it is of: judgments of slots, or answers to tasks of a stage."""

from collections.abc import Mapping

from django.db.models import Count, Q
from django.db.models.expressions import Combinable

from humantrials.annotation.advancing import after
from humantrials.models import Judgment, Participant, Sheet, Slot, Task, TaskAnswer, Trial
from humantrials.protocols import find_protocol


def answers_of(path: str = "", **only: object) -> Combinable:
    """How many answers people gave, of whichever kind, to annotate people with; `only` says which of them."""
    judgments, tasks = (_counted(f"{path}{kind}", only) for kind in ("judgments", "task_answers"))
    return judgments + tasks


def _counted(answers: str, only: Mapping[str, object]) -> Count:
    wanted = Q(**{f"{answers}__{name}": value for name, value in only.items()})
    return Count(answers, filter=wanted, distinct=True) if only else Count(answers, distinct=True)


def is_staged(trial: Trial) -> bool:
    """Whether the trial's sheets hold tasks of stages in place of slots."""
    return bool(find_protocol(trial.protocol).stages)


def has_begun(person: Participant) -> bool:
    return person.judgments.exists() or (is_staged(person.trial) and person.task_answers.exists())


def given_by(person: Participant) -> int:
    return person.judgments.count() + person.task_answers.count()


def missing_of(person: Participant) -> int:
    """How many answers of this person their sheet still wants."""
    missing = Slot.objects.filter(sheet=person.sheet_id).exclude(judgments__participant=person).count()
    if is_staged(person.trial):
        given = person.task_answers.filter(is_complete=True).values("task")
        missing += Task.objects.filter(sheet=person.sheet_id).exclude(pk__in=given).count()
    return missing


def make_counted(person: Participant) -> None:
    person.judgments.filter(slot__sheet=person.sheet).update(counts=True, is_surplus=False)
    if is_staged(person.trial):
        person.task_answers.filter(task__sheet=person.sheet).update(counts=True, is_surplus=False)


def make_surplus(sheet: Sheet) -> None:
    Judgment.objects.filter(slot__sheet=sheet).update(counts=False, is_surplus=True)
    if is_staged(sheet.trial):
        TaskAnswer.objects.filter(task__sheet=sheet).update(counts=False, is_surplus=True)


def make_live(person: Participant, sheet: Sheet) -> None:
    """The sheet is theirs again: what they gave before may come to count."""
    person.judgments.filter(slot__sheet=sheet).update(is_surplus=False)
    if is_staged(sheet.trial):
        person.task_answers.filter(task__sheet=sheet).update(is_surplus=False)


def discount(person: Participant) -> None:
    """Keep what the person gave and count none of it."""
    person.judgments.update(counts=False, is_surplus=True)
    person.task_answers.update(counts=False, is_surplus=True)


def erase(person: Participant) -> None:
    for given in (person.judgments, person.pilot_answers, person.attention_answers, person.task_answers, person.rounds):
        given.all().delete()


def have_changed(sheet: Sheet) -> None:
    """What was given on the sheet came to count, or counts no more: later stages follow."""
    if is_staged(sheet.trial):
        after(sheet)
