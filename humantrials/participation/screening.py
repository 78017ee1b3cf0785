"""Checks before the clips: the sound check if the protocol has sound, and a quiz on the instructions.

Nobody is rejected. The sound check can be repeated without limit. After two failed attempts at the quiz the study ends
with a friendly message and a code, and the place goes to somebody else.
"""

from collections.abc import Mapping

from django.db import transaction

from humantrials.assignment.exits import screen_out
from humantrials.assignment.leases import locked
from humantrials.models import Participant, ParticipantKind, ParticipantState
from humantrials.participation.sound_check import SIDES, digits_for
from humantrials.protocols.protocol import Protocol

SOUND, INSTRUCTIONS, QUIZ, PRACTICE, TRIALS = "sound", "instructions", "quiz", "practice", "trials"
BREAK = "break"  # between two blocks of the clips
QUIZ_ATTEMPTS = 2


def steps(protocol: Protocol, *, has_practice: bool) -> list[str]:
    """The protocol's steps after the consent, in order."""
    wanted = {SOUND: protocol.screening.has_sound, QUIZ: bool(protocol.screening.quiz), PRACTICE: has_practice}
    return [step for step in (SOUND, INSTRUCTIONS, QUIZ, PRACTICE, TRIALS) if wanted.get(step, True)]


def step_after(protocol: Protocol, step: str, *, has_practice: bool) -> str:
    road = steps(protocol, has_practice=has_practice)
    return road[min(road.index(step) + 1, len(road) - 1)] if step in road else road[-1]


@transaction.atomic
def check_sound(*, participant: Participant, posted: Mapping[str, str]) -> bool:
    """Whether both sides were heard; stores the number of attempts and the kind of error, not what was typed."""
    person = locked(participant)
    typed = {side: "".join(filter(str.isdecimal, posted.get(side, "")[:40])) for side in SIDES}
    wanted = {side: digits_for(person, side) for side in SIDES}
    if person.step != SOUND or typed == wanted:
        return person.step == SOUND
    is_swapped = typed == {"left": wanted["right"], "right": wanted["left"]}
    _note(person, sound=person.checks.get("sound", 0) + 1, sound_was="swapped" if is_swapped else "wrong")
    return False


@transaction.atomic
def check_quiz(*, participant: Participant, protocol: Protocol, posted: Mapping[str, str]) -> bool:
    """Whether every answer is right; a second failure screens the person out."""
    person = locked(participant)
    if person.step != QUIZ or person.state != ParticipantState.CONSENTED:
        return False
    right = (posted.get(f"q{number}") == question.right for number, question in enumerate(protocol.screening.quiz))
    wrong = [number for number, is_right in enumerate(right, start=1) if not is_right]
    attempts = person.checks.get("quiz", 0) + 1
    _note(person, quiz=attempts, quiz_wrong=wrong)
    if wrong and attempts >= QUIZ_ATTEMPTS and person.kind != ParticipantKind.PREVIEW:
        screen_out(participant=person)
    return not wrong


@transaction.atomic
def end_break(*, participant: Participant, block: str) -> None:
    """Continue with the block of this number; a repeated or late press changes nothing."""
    person = locked(participant)
    if person.state == ParticipantState.CONSENTED and block == str(person.checks.get("block", 0) + 1):
        _note(person, block=int(block))


def _note(person: Participant, **checks: object) -> None:
    person.checks = {**person.checks, **checks}
    Participant.objects.filter(pk=person.pk).update(checks=person.checks)
