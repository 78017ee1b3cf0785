"""A simulated staff for simulated annotators: grades what is sent, refuses one question of twenty."""

from humantrials.annotation.first_pass import accept_question, refuse_question, statement_of
from humantrials.annotation.qualifying import grade_round, how_many
from humantrials.design import lot
from humantrials.models import QuestionState, RoundState, Trial

ONE_IN = 20


def attend(trial: Trial) -> None:
    """Do whatever waits for a person of the staff; nothing waits in a trial without stages."""
    for one in trial.rounds.filter(state=RoundState.WAITING):
        grades = [3 + lot(f"{trial.seed}/grade", one.pk, place)[0] % 2 for place in range(how_many(one))]
        grade_round(one=one, grades=grades, feedback="simulated staff", by=None)
    for question in trial.questions_written.filter(state=QuestionState.WAITING):
        if lot(f"{trial.seed}/refused", question.text, question.number)[0] < 256 // ONE_IN:
            refuse_question(question=question, reason="simulated staff: one of twenty is refused", by=None)
        else:
            accept_question(question=question, text=question.text, statement=statement_of(question.text), by=None)
