"""Checks before the clips: the sound check if the protocol has sound, and a quiz on the instructions if there is one.

Nobody is rejected. The sound check can be repeated without limit. After the last failed attempt at the quiz the study
ends with a friendly message and a code, and the place goes to somebody else.
"""

from collections.abc import Mapping

from django.conf import settings
from django.db import transaction

from humantrials.assignment.exits import screen_out
from humantrials.assignment.leases import locked
from humantrials.models import Participant, ParticipantKind, ParticipantState, Trial
from humantrials.participation.entering.sound_check import SIDES, digits_for
from humantrials.planning.quizzes import quiz_in
from humantrials.protocols import find_protocol
from measures.scores.number_answers import plain_digits

BEFORE = "before"  # the author's questions
SOUND, INSTRUCTIONS, QUIZ, PRACTICE, TRIALS = "sound", "instructions", "quiz", "practice", "trials"
ORDER = (SOUND, INSTRUCTIONS, QUIZ, PRACTICE, TRIALS)


def steps(trial: Trial) -> list[str]:
    """The trial's steps after the consent, in order."""
    wanted = {
        SOUND: find_protocol(trial.protocol).screening.has_sound,
        QUIZ: bool(quiz_in(trial, settings.LANGUAGE_CODE).questions),
        PRACTICE: trial.has_practice,
    }
    return [step for step in ORDER if wanted.get(step, True)]


def step_after(trial: Trial, step: str) -> str:
    order = steps(trial)
    return order[min(order.index(step) + 1, len(order) - 1)] if step in order else order[-1]


@transaction.atomic
def check_sound(*, participant: Participant, posted: Mapping[str, str]) -> bool:
    """Whether both sides were heard; stores the number of attempts and the kind of error, not what was typed."""
    person = locked(participant)
    typed = {side: "".join(filter(str.isdecimal, plain_digits(posted.get(side, "")[:40]))) for side in SIDES}
    wanted = {side: digits_for(person, side) for side in SIDES}
    if person.step != SOUND or typed == wanted:
        return person.step == SOUND
    is_swapped = typed == {"left": wanted["right"], "right": wanted["left"]}
    note_check(person, sound=person.checks.get("sound", 0) + 1, sound_was="swapped" if is_swapped else "wrong")
    return False


@transaction.atomic
def check_quiz(*, participant: Participant, posted: Mapping[str, str]) -> bool:
    """Whether every answer is right; the last failure screens the person out."""
    person = locked(participant)
    if person.step != QUIZ or person.state != ParticipantState.CONSENTED:
        return False
    quiz = quiz_in(person.trial, person.language, posted.get("text", ""))
    right = (posted.get(f"q{number}") == question.right for number, question in enumerate(quiz.questions))
    wrong = [number for number, is_right in enumerate(right, start=1) if not is_right]
    attempts = person.checks.get("quiz", 0) + 1
    note_check(person, quiz=attempts, quiz_wrong=wrong, **({"quiz_text": quiz.version} if quiz.text else {}))
    if wrong and attempts >= quiz.attempts and person.kind != ParticipantKind.PREVIEW:
        screen_out(participant=person)
    return not wrong


def note_check(person: Participant, **checks: object) -> None:
    """Add these values to the participant's stored checks."""
    person.checks = {**person.checks, **checks}
    Participant.objects.filter(pk=person.pk).update(checks=person.checks)
