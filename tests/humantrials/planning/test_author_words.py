"""Texts of authors' pages in special cases: everything is done, nothing is paid, one answer is wanted."""

import pytest
from django.utils import timezone

from humantrials.models import ParticipantKind, Sheet, SheetState
from humantrials.models.texts import TextPart
from humantrials.planning.authored_texts import consents_agreed_to, quiz_in, texts_of, write
from humantrials.planning.questionnaires import QUIZ_START
from humantrials.running.transitions import ACTS
from tests.factories import make_participant
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.markup import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def done_trial():
    trial = running_trial(physics_pack(tests=1))
    Sheet.objects.update(state=SheetState.DONE)
    return trial


def test_pages_of_a_study_whose_sheets_are_all_done_promise_and_offer_nothing_more(staff, done_trial):
    page = words(staff.get("/trials/running/watch/"))
    assert "Every sheet is done: the study can be closed." in page
    assert "can be estimated after three finishes" not in page
    assert not any("stay unfilled" in line for line in ACTS["close"].will(done_trial))
    assert "0, 0 people" in words(staff.get("/trials/running/pay/"))
    assert "Use this panel" not in words(staff.get("/trials/running/manage/panel/"))  # it is in use
    assert "Use this panel" in words(staff.get("/trials/running/manage/panel/?panel=prolific"))


def test_a_consent_is_counted_once_of_each_person_and_never_of_a_simulated_one():
    trial = running_trial(physics_pack(tests=1))
    agreed = {"trial": trial, "consented_at": timezone.now(), "consent_version": "1"}
    person, _ = make_participant(**agreed), make_participant(**agreed)
    for changes in ({"kind": ParticipantKind.SIMULATED}, {"consented_at": None}, {"first": person}):
        make_participant(**agreed | changes)
    [(*_, people, _)] = consents_agreed_to(trial)
    assert people == 2


def test_the_version_of_a_quiz_that_a_form_names_is_read_unless_it_is_empty():
    trial = running_trial(physics_pack(tests=1))
    written = {"part": TextPart.QUIZ, "language": "en"}
    own, empty = (
        trial.texts.create(version=number, body=body, **written) for number, body in ((1, QUIZ_START), (2, ""))
    )
    assert quiz_in(trial, "en", str(own.pk)).text == own
    for number in ("", str(empty.pk), "x", "9" * 13):
        assert quiz_in(trial, "en", number).text is None


def test_texts_are_those_of_the_own_study_and_part():
    own, other = (running_trial(physics_pack(tests=1), slug=slug) for slug in ("own", "other"))
    write(trial=other, part="consent", language="en", body="Theirs.")
    written = write(trial=own, part="debrief", language="en", body="Ours.")
    assert texts_of(own, ("consent", "debrief"), "en") == (None, written)


def test_one_answer_is_one_answer(staff):
    assert "1 answer per item" in words(staff.get("/trials/new/"))
