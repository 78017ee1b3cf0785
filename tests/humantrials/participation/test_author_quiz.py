"""An author's own quiz on the instructions: shown after them, with explanations, then the end or the clips."""

import pytest
from django.test import Client

from humantrials.models import Participant, Trial
from humantrials.planning.authored_texts import write
from humantrials.planning.preregistration import content_of
from tests.humantrials.fixtures import physics_pack, running_trial, short_trial
from tests.humantrials.inside_crowd import simulate
from tests.humantrials.plain_client import Walker
from tests.markup import words

pytestmark = pytest.mark.django_db
BODY = (
    "look: choice\nWhat do you judge?\n- the picture\n+ what happens\n! How real it looks does not matter.\n\n"
    "end: choice\nWhen do you answer?\n+ after the end\n- at once"
)


@pytest.fixture
def trial(db) -> Trial:
    trial = short_trial(quiz_attempts="3")
    write(trial=trial, part="quiz", language="en", body=BODY)
    return trial


@pytest.fixture
def asked(client, trial) -> Walker:
    return Walker(client, trial).agree().press(step="instructions")


def answer(walker: Walker, first: str, second: str) -> str:
    return words(walker.press(step="quiz", text=walker.reader.fields["text"], q0=first, q1=second).page)


def test_wrong_answers_are_explained_and_right_ones_lead_on(asked):
    page = asked.text
    assert "Attempts: 3." in page
    assert "How real it looks" not in page
    page = answer(asked, "1", "1")
    assert "Please look again at question 1. Attempts left: 2." in page
    assert "How real it looks does not matter." in page
    assert answer(asked, "2", "1")
    assert asked.reader.step == "practised"
    checks = asked.person.checks
    assert (checks["quiz"], checks["quiz_text"]) == (2, "en 1")


def test_a_form_is_judged_by_the_version_that_it_showed(asked, trial):
    first = asked.reader.fields["text"]
    write(trial=trial, part="quiz", language="en", body="other: choice\nWhat?\n+ this\n- that")
    asked.press(step="quiz", text=first, q0="2", q1="1")
    assert asked.reader.step == "practised"
    other = running_trial(physics_pack(tests=1), slug="other", replicates=1)
    foreign = write(trial=other, part="quiz", language="en", body="x: choice\nWhat?\n+ this\n- that")
    walker = Walker(Client(), trial, "second").agree().press(step="instructions")
    walker.press(step="quiz", text=str(foreign.pk), q0="2")
    assert walker.reader.step == "quiz"


def test_the_author_is_shown_what_is_right_and_told_what_is_not(trial, staff):
    address = f"/trials/{trial.slug}/texts/quiz/de/"
    assert "+ the one in the red box" in staff.get(address).content.decode()
    page = staff.post(address, {"body": BODY, "look": "1"}).content.decode()
    assert "<strong>right</strong>" in page
    assert "How real it looks does not matter." in page
    wrong = staff.post(address, {"body": "a: choice\nWhat?\n- this\n- that"})
    assert wrong.status_code == 400
    assert "line 1: one answer is right" in wrong.content.decode()
    assert trial.texts.count() == 1
    assert "2 questions on the instructions, attempts: 3" in words(staff.get(f"/trials/{trial.slug}/"))
    design = content_of(trial)["design"]  # of the preregistration
    assert (design["quiz_questions"], design["quiz_attempts"]) == (2, 3)


def test_simulated_people_pass_it(trial):
    assert simulate(trial, people=1)["finished"] == 1
    assert Participant.objects.get().checks["quiz"] == 1
