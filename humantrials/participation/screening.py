"""Checks before the clips: the sound check if the protocol has sound, and a quiz on the instructions if there is one.

Nobody is rejected. The sound check plays three spoken digits in each ear, others at each attempt, and can be repeated
without limit: they are derived from the token and the attempt with this site's key, so that nothing has to be stored, a
reload plays the same ones, and the page does not reveal them. After the last failed attempt at the quiz the study ends
with a friendly message and a code, and the place goes to somebody else.
"""

import hmac
import io
import wave
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db import transaction

from benchmarks.models import Key
from humantrials.assignment.exits import screen_out
from humantrials.assignment.sheets import locked
from humantrials.models import Participant, Trial
from humantrials.planning.authored_texts import quiz_in
from humantrials.protocols import find_protocol
from measures.scores.number_answers import plain_digits

DIGITS = Path(__file__).parents[1] / "assets" / "digits"
SPOKEN = ("en", "de")  # recorded languages; others hear English
SIDES = ("left", "right")
RATE, WIDTH, PAUSE = 22_050, 2, 0.35  # samples a second, bytes a sample, seconds between digits


def digits_for(person: Participant, side: str) -> str:
    """The three digits of this side in the person's current attempt."""
    message = f"{person.token}/{person.checks.get('sound', 0)}/{side}"
    digest = hmac.digest(Key.secret_of("sound"), message.encode(), "sha256")
    return "".join(str(byte % 10) for byte in digest[:3])


def spoken(digits: str, side: str, language: str) -> bytes:
    """The digits as a stereo WAV file with silence in the other ear."""
    pause = bytes(int(RATE * PAUSE) * WIDTH)
    mono = (
        pause + pause.join(_recorded(digit, language if language in SPOKEN else SPOKEN[0]) for digit in digits) + pause
    )
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(WIDTH)
        out.setframerate(RATE)
        out.writeframes(_on_one_side(mono, side))
    return file.getvalue()


def _on_one_side(mono: bytes, side: str) -> bytes:
    both = bytearray(len(mono) * 2)
    first = 0 if side == "left" else WIDTH
    both[first :: 2 * WIDTH] = mono[0::WIDTH]
    both[first + 1 :: 2 * WIDTH] = mono[1::WIDTH]
    return bytes(both)


@lru_cache(maxsize=32)
def _recorded(digit: str, language: str) -> bytes:
    with wave.open(str(DIGITS / f"{language}-{digit}.wav"), "rb") as file:
        return file.readframes(file.getnframes())


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
    if person.step != QUIZ or not person.is_under_way:
        return False
    quiz = quiz_in(person.trial, person.language, posted.get("text", ""))
    right = (posted.get(f"q{number}") == question.right for number, question in enumerate(quiz.questions))
    wrong = [number for number, is_right in enumerate(right, start=1) if not is_right]
    attempts = person.checks.get("quiz", 0) + 1
    note_check(person, quiz=attempts, quiz_wrong=wrong, **({"quiz_text": quiz.version} if quiz.text else {}))
    if wrong and attempts >= quiz.attempts and not person.is_preview:
        screen_out(participant=person)
    return not wrong


def note_check(person: Participant, **checks: object) -> None:
    """Add these values to the participant's stored checks."""
    person.checks = {**person.checks, **checks}
    Participant.objects.filter(pk=person.pk).update(checks=person.checks)
