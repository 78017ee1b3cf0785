"""PACS' study for a participant: sound check, quiz, a break between the blocks with and without sound."""

import pytest
from django.test import Client

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.import_release import import_release
from humantrials.models import Participant
from humantrials.protocols.catalogue.pacs_audio import PACS_AUDIO
from humantrials.simulation.participant import Person, hear, quiz_of
from tests.benchmarks.pacs_releases import small
from tests.humantrials.fixtures import running_trial
from tests.humantrials.inside_crowd import simulate
from tests.humantrials.plain_client import Walker
from tests.humantrials.protocols.designs.test_crossed import stand_in_clips

pytestmark = pytest.mark.django_db


@pytest.fixture
def trial(tmp_path):
    """Two pairs without a clip in common, with two questions each: two blocks of two."""
    data = {
        f"object000{one}_object000{two}": {
            f"question000{number}": {"label": number % 2, "text": f"Which is heavier? {number}"} for number in (1, 2)
        }
        for one, two in ((1, 2), (3, 4))
    }
    pack = import_release(BENCHMARKS["pacs"], small(tmp_path, val_data=data, val_data_mat=None, objects=None)).pack
    stand_in_clips(pack)
    return running_trial(pack, slug="sound", protocol="pacs-audio", replicates=1, qualified="w")


@pytest.fixture
def listener(trial) -> Walker:
    """An invited participant at the first clip."""
    walker = Walker(Client(), trial).agree()
    walker.press(step="sound", **hear(walker.person.token)).press(step="instructions")
    assert walker.reader.step == "quiz"
    return walker.press(step="quiz", **quiz_of(walker.person.token)).look()


def test_the_quiz_has_one_right_answer_a_question_and_two_attempts(trial):
    for question in PACS_AUDIO.screening.quiz:
        assert [option.value for option in question.options].count(question.right) == 1
    walker = Walker(Client(), trial).agree()
    walker.press(step="sound", **hear(walker.person.token)).press(step="instructions")
    assert "You have one more attempt" in walker.press(step="quiz", q0="largest").text
    assert walker.press(step="quiz", **quiz_of(walker.person.token)).reader.positions == [0, 1]


def test_between_the_blocks_there_is_a_break_and_the_next_begins_with_a_press(listener):
    assert listener.press(step="break", block="1").reader.positions == [0, 1]  # before its time
    page = listener.answer("object 1").answer("object 2").text
    assert "Time for a break" in page
    assert "your place is kept for 60 minutes" in page
    assert "Without sound: these videos have none" in page
    assert "Time for a break" in listener.look().text  # a reload stays on the break
    fields = listener.reader.fields
    assert listener.press(**fields).press(**fields).reader.positions == [2, 3]
    listener.answer("object 1").answer("object 1")
    assert listener.person.completion_code in listener.text


@pytest.mark.parametrize("block", ["", "2", "0", "-1", "x", "9" * 30])
def test_no_other_press_ends_the_break(listener, block):
    listener.answer("object 1").answer("object 1").press(step="break", block=block)
    assert listener.reader.step == "break"


def test_the_page_of_a_block_names_its_own_questions_alone_and_counts_all(listener):
    page = listener.text
    assert "Question 1 of 4" in page
    assert "data-last" not in page
    listener.answer("object 1").answer("object 1").press(step="break", block="1")
    page = listener.text
    assert "Question 3 of 4" in page
    assert "data-last" in page


def test_a_simulated_person_passes_sound_check_quiz_and_break(trial, monkeypatch):
    monkeypatch.setattr(Person, "external_id", "w")
    assert simulate(trial, people=1)["finished"] == 1
    assert Participant.objects.get().has_finished
