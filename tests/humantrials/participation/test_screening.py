"""The sound check and the quiz: passing, repeating, and no rejections."""

import io
import wave
from dataclasses import replace

import pytest
from django.test import Client

from humantrials.models import Judgment, Participant, SheetState
from humantrials.participation.screening import SIDES, digits_for, spoken
from humantrials.protocols import PROTOCOLS
from humantrials.protocols.catalogue.grasp_plausibility import GRASP_PLAUSIBILITY
from humantrials.protocols.protocol import Option, QuizQuestion
from tests.humantrials.plain_client import Walker
from tests.humantrials.running.test_transitions import piloting

pytestmark = pytest.mark.django_db
YES_NO = (Option("yes", "Yes"), Option("no", "No"))
QUIZ = (QuizQuestion("May you watch a video twice?", YES_NO, "yes"), QuizQuestion("Do pictures count?", YES_NO, "no"))


@pytest.fixture
def screened(monkeypatch, trial):
    """The trial, with a quiz and a sound check."""
    changed = replace(GRASP_PLAUSIBILITY, screening=replace(GRASP_PLAUSIBILITY.screening, quiz=QUIZ, has_sound=True))
    monkeypatch.setitem(PROTOCOLS, "grasp-plausibility", changed)
    return trial


def heard(walker: Walker) -> dict[str, str]:
    return {side: digits_for(walker.person, side) for side in SIDES}


def hear(walker: Walker) -> Walker:
    return walker.press(step="sound", **heard(walker))


def test_the_whole_road_with_sound_check_and_quiz(screened):
    walker = Walker(Client(), screened).agree()
    assert walker.reader.step == "sound"
    assert hear(walker).reader.step == "instructions"
    assert walker.press(step="instructions").reader.step == "quiz"
    assert walker.look().reader.step == "quiz"
    assert walker.press(step="quiz", q0="yes", q1="no").reader.step == "practised"
    walker.practise().answer().answer()
    assert walker.person.completion_code in walker.text
    assert walker.person.checks == {"quiz": 1, "quiz_wrong": [], "practised": True}


@pytest.mark.parametrize("zero", ["٠", "۰", "０"])
def test_the_digits_may_be_typed_in_another_script(screened, zero):
    walker = Walker(Client(), screened).agree()
    script = {ord("0") + digit: ord(zero) + digit for digit in range(10)}
    typed = {side: digits.translate(script) for side, digits in heard(walker).items()}
    assert walker.press(step="sound", **typed).reader.step == "instructions"


def test_the_sound_can_be_tried_as_often_as_one_likes_with_new_digits(screened):
    walker = Walker(Client(), screened).agree()
    first = heard(walker)
    assert "Not all digits were right" in walker.press(step="sound", left="000", right="12").text
    assert heard(walker) != first
    swapped = {"left": heard(walker)["right"], "right": heard(walker)["left"]}
    assert "Left and right are swapped" in walker.press(step="sound", **swapped).text
    for _ in range(3):
        walker.press(step="sound", left="x" * 999, right="")
    assert walker.person.checks["sound"] == 5
    with_spaces = {side: " ".join(digits) for side, digits in heard(walker).items()}
    assert walker.press(step="sound", **with_spaces).reader.step == "instructions"
    walker.press(step="withdraw")
    assert Participant.objects.get().checks == {}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_each_recording_is_in_its_own_ear_alone(side, language):
    with wave.open(io.BytesIO(spoken("407", side, language)), "rb") as file:
        assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, 22050, 2)
        frames = file.readframes(file.getnframes())
        assert 2 < file.getnframes() / 22050 < 5
    samples = memoryview(frames).cast("h")
    ears = {"left": max(map(abs, samples[0::2])), "right": max(map(abs, samples[1::2]))}
    assert ears[side] > 10_000
    assert ears[SIDES[1 - SIDES.index(side)]] == 0


def test_the_recording_is_there_while_it_is_asked_for_and_the_page_does_not_tell_it(screened):
    walker = Walker(Client(), screened)
    walker.agree()
    answer = walker.client.get(f"{walker.road}sound/left/")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("audio/wav", "private, no-store")
    assert answer.content == walker.client.get(f"{walker.road}sound/left/").content
    assert walker.client.get(f"{walker.road}sound/middle/").status_code == 404
    text = walker.text.split("<main")[1]
    assert all(digits not in text.replace(walker.person.token, "") for digits in heard(walker).values())
    hear(walker)
    assert walker.client.get(f"{walker.road}sound/left/").status_code == 404


@pytest.mark.requirement("P10")
def test_after_two_attempts_at_the_quiz_the_road_ends_kindly_with_a_code_and_the_place_is_free(screened):
    walker = hear(Walker(Client(), screened).agree()).press(step="instructions")
    page = walker.press(step="quiz", q0="no", q1="no").text
    assert "look again at question 1" in page
    assert "one more attempt" in page
    page = walker.press(step="quiz", q0="yes").text
    assert "You are not rejected" in page
    assert walker.person.partial_code in page
    assert (walker.person.partial_code[:13], walker.person.completion_code) == ("SCREENED-OUT-", "")
    assert not screened.sheets.exclude(state=SheetState.OPEN).exists()
    walker.press(step="quiz", q0="yes", q1="no")
    again = Walker(Client(), screened).press(step="return", code=walker.person.receipt_code)
    assert "You are not rejected" in again.text


def test_no_answer_is_taken_before_the_quiz_is_passed(screened):
    walker = Walker(Client(), screened).agree()
    for step in ("practice", "trials", "quiz", "instructions"):
        walker.press(step=step, q0="yes", q1="no")
        assert walker.reader.step == "sound"
    assert walker.send("answer/", position="0", answer="yes").status_code == 409
    assert not Judgment.objects.exists()


def test_a_pilot_is_screened_too_and_touches_no_sheet(screened):
    walker = hear(piloting(Client(), screened).agree()).press(step="instructions")
    walker.press(step="quiz").press(step="quiz")
    assert "You are not rejected" in walker.text
    assert set(screened.sheets.values_list("state", "epoch")) == {(SheetState.OPEN, 0)}
