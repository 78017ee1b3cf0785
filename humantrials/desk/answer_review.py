"""Staff's review of annotators' answers: accept one, or send its task out again with a reason."""

from django.db import transaction
from django.db.models.functions import Now

from accounts.models import User
from humantrials.desk.reassignment import ask_anew, lock_sheets, must_be_asking
from humantrials.errors import BadAnswer
from humantrials.models import TaskAnswer, TrialEvent

LONGEST_REASON = 200


def accept_answer(*, answer: TaskAnswer, by: User | None) -> None:
    """Record that staff looked at the answer and found it good."""
    if answer.sent_back:
        raise BadAnswer("This answer was sent back already; somebody else is asked.")
    TaskAnswer.objects.filter(pk=answer.pk).update(looked_at=Now(), looked_at_by=by)


@transaction.atomic
def send_back(*, answer: TaskAnswer, reason: str, by: User | None) -> None:
    """Stop counting the answer and ask somebody else; later stages follow as after a withdrawal. The work stays paid.

    Raises BadAnswer without a reason, for an answer that does not count, and in a trial that is over.
    """
    reason, trial = " ".join(reason.split()), answer.task.trial
    if not reason or len(reason) > LONGEST_REASON:
        raise BadAnswer(f"Say why it goes back, in {LONGEST_REASON} letters at most.")
    must_be_asking(trial)
    lock_sheets([answer.task.sheet_id])
    locked = TaskAnswer.objects.select_for_update(of=("self",)).select_related("task__sheet", "task__trial")
    counted = locked.filter(pk=answer.pk, counts=True).first()
    if counted is None:
        raise BadAnswer("This answer does not count (any more), so there is nothing to send back.")
    ask_anew(trial, [counted], "answer sent back")
    TaskAnswer.objects.filter(pk=answer.pk).update(sent_back=reason, looked_at=Now(), looked_at_by=by)
    task = counted.task
    note = f"{task.stage} {task.subject}, {answer.participant.code}: {reason}"[:300]
    TrialEvent.objects.create(trial=trial, kind="answer sent back", note=note, by=by)
