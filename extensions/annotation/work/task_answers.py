"""Answers to the tasks of annotation sheets, which the lease layer finds through the kind of study."""

from django.db.models import Case, OuterRef, QuerySet, Subquery, When

from extensions.annotation.models import Stage, Task, TaskAnswer
from extensions.annotation.work.sittings import sheets_for
from extensions.annotation.work.stage_transitions import after
from humantrials.assignment.sheets import SlotAnswers
from humantrials.models import Participant, Sheet, Trial
from humantrials.protocols import find_protocol


def is_annotation(trial: Trial) -> bool:
    """Whether the trial's sheets hold tasks of stages."""
    return find_protocol(trial.protocol).design.kind == "annotation"


class TaskAnswers(SlotAnswers):
    """Answers to the tasks of one stage."""

    relation = "task_answers"
    places = "tasks"
    before = "rounds"
    are_judgments = False
    are_begun_late = False  # later stages build on each answer
    are_sent_again = False  # a form is resent by hand; nothing waits in an outbox

    def on(self, sheet: Sheet) -> QuerySet:
        return TaskAnswer.objects.filter(task__sheet=sheet)

    def in_trial(self, trial: Trial) -> QuerySet:
        return TaskAnswer.objects.filter(task__trial=trial)

    def missing(self, person: Participant) -> int:
        complete = person.task_answers.filter(is_complete=True).values("task")
        return Task.objects.filter(sheet=person.sheet_id).exclude(pk__in=complete).count()

    def make_counted(self, person: Participant, sheet: Sheet) -> bool:
        self.on(sheet).filter(participant=person).update(counts=True, is_surplus=False)
        return True

    def open_to(self, person: Participant, sheets: QuerySet[Sheet]) -> QuerySet[Sheet]:
        """Earlier stages first: otherwise a clip that was sent back would wait behind the sheets that depend on it."""
        stage = Subquery(Task.objects.filter(sheet=OuterRef("pk")).values("stage")[:1])
        place = Case(*(When(stage=name, then=number) for number, name in enumerate(Stage.values)))
        return sheets_for(person, sheets).annotate(stage=stage).order_by(place, "order")

    def have_changed(self, sheet: Sheet) -> None:
        """Update states and open sheets of later stages."""
        after(sheet)

    def erase(self, person: Participant) -> None:
        super().erase(person)
        person.task_answers.all().delete()
        person.rounds.all().delete()
