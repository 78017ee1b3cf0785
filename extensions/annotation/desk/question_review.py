"""Staff's first pass over written questions: refuse bad ones, correct small mistakes (section 6.4)."""

import re

from django.db import transaction

from accounts.models import User
from extensions.annotation.models import QuestionState, WrittenQuestion
from extensions.annotation.work.form_parsing import LONGEST, fault_of
from extensions.annotation.work.outcomes import accept_into_bank, settle_candidates
from extensions.annotation.work.stage_transitions import advance
from humantrials.errors import BadAnswer
from humantrials.models import TrialEvent

LONGEST_REASON = 200


def statement_of(question: str) -> str:
    """A first draft of the question as a statement in the release's form; '' if no rule applies."""
    found = re.fullmatch(r"(?:which|what) (object|item|one|thing)s? (.+)\?", question.strip(), re.IGNORECASE)
    if not found:
        return ""
    noun = "item" if found[1].casefold() == "item" else "object"
    rest = re.sub(r"^would\b", "will", found[2], flags=re.IGNORECASE)
    return f"An {noun} that {rest}"


@transaction.atomic
def accept_question(*, question: WrittenQuestion, text: str, statement: str, by: User | None) -> None:
    """Accept the question into the bank, corrected if needed; the writer's original text is stored too."""
    text, statement = " ".join(text.split()), " ".join(statement.split())
    if fault := fault_of(text) or ("The statement is too long." if len(statement) > LONGEST else ""):
        raise BadAnswer(str(fault))
    waiting = WrittenQuestion.objects.filter(pk=question.pk, state=QuestionState.WAITING)
    written = "" if text == question.text else question.text
    if waiting.update(
        state=QuestionState.ACCEPTED, text=text, as_written=written, statement=statement, looked_at_by=by
    ):
        question.refresh_from_db()
        accept_into_bank(question)
        advance(question.trial)


@transaction.atomic
def refuse_question(*, question: WrittenQuestion, reason: str, by: User | None) -> None:
    """Refuse the question, even if accepted before; its candidates are dropped. The writer is still paid."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON:
        raise BadAnswer(f"Give a reason for refusing it, at most {LONGEST_REASON} letters.")
    found = WrittenQuestion.objects.filter(pk=question.pk).exclude(state=QuestionState.BAD)
    if found.update(state=QuestionState.BAD, reason=reason, looked_at_by=by):
        note = f"question {question.number}: {reason}"[:300]
        TrialEvent.objects.create(trial=question.trial, kind="bad question", note=note, by=by)
        settle_candidates(question.candidates.values_list("pair", flat=True))
        advance(question.trial)
