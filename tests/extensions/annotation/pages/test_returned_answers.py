"""An annotator sees answers that staff sent back: the reason beside the person's own work."""

from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from extensions.annotation.desk.answer_views import send_back
from extensions.annotation.models import Stage, Task, TaskAnswer
from extensions.annotation.pages.returned_answers import returned_answers, returned_clip, work_so_far
from humantrials.models import Participant, ParticipantKind, ParticipantState
from tests.extensions.annotation.finished_trial import settled_trial
from tests.extensions.annotation.fixtures import annotation_trial
from tests.factories import make_participant
from tests.humantrials.inside_crowd import simulate
from tests.humantrials.site_content import write_files

pytestmark = pytest.mark.django_db
REASON = "The cup is touched, not the table."


def sent_back(trial, stage):
    answer = TaskAnswer.objects.filter(task__trial=trial, task__stage=stage, counts=True).order_by("pk").first()
    send_back(answer=answer, reason=REASON, by=None)
    answer.refresh_from_db()
    return answer


def page_of(person):
    return Client().get(f"/p/{person.token}/").content.decode()


def test_the_last_page_tells_the_reason_beside_ones_own_work():
    trial = annotation_trial(8)
    simulate(trial, accuracy=1.0)
    for stage in reversed(Stage.values):
        answer = sent_back(trial, stage)
        page = page_of(answer.participant)
        assert "sent back" in page
        assert REASON in page
        shown = next(one for one in returned_answers(answer.participant) if one["pk"] == answer.pk)
        assert len(shown["pictures"]) == (1 if stage == Stage.OBJECTS else 2)
        said = answer.content.get("answers") or answer.content.get("questions") or ("sight", "sound")
        assert len(shown["lines"]) == len(said)
        for text in (text for line in shown["lines"] for text in line):
            assert str(escape(text)) in page
    Participant.objects.filter(pk=answer.participant_id).update(language="de")
    assert "Eine Ihrer Antworten ging zurück" in page_of(answer.participant)


def test_it_is_folded_beside_the_tasks_of_ones_next_sheet_and_for_nobody_else():
    trial = annotation_trial(8)
    write_files(trial.pack)
    simulate(trial, people=1, accuracy=1.0)
    answer = sent_back(trial, Stage.OBJECTS)
    first = answer.participant
    assert Client().get(f"/p/{first.token}/back/{answer.pk}/0/frame").status_code == 200  # the sheet is finished
    Client().post(f"/p/{first.token}/another/")
    sitting = trial.participants.get(first=first, state=ParticipantState.CONSENTED)
    Client().post(f"/p/{sitting.token}/", {"step": "instructions"})
    page = page_of(sitting)
    assert REASON in page
    assert '<details class="returned">' in page
    assert f"/p/{sitting.token}/back/{answer.pk}/0/frame" in page
    kept = TaskAnswer.objects.filter(participant=first, counts=True).first()
    assert returned_clip(sitting, answer.pk, 0) == answer.task.object.clip
    assert [returned_clip(sitting, *place) for place in ((answer.pk, 1), (kept.pk, 0))] == [None, None]
    other = make_participant(trial)
    assert REASON not in page_of(other)
    assert Client().get(f"/p/{other.token}/back/{answer.pk}/0/frame").status_code == 404


@pytest.fixture
def root() -> Participant:
    """Somebody on a third sheet who has finished the first; another person works beside them."""
    trial = settled_trial(pay_amount=Decimal(4), pay_currency="EUR")
    first = make_participant(trial, finished_at=timezone.now())
    second, third, other = (make_participant(trial, first=whose) for whose in (first, first, None))
    task = Task.objects.get()
    for person, seconds in ((first, 100.0), (second, 70.5), (third, None), (other, 6000.0)):
        TaskAnswer.objects.create(task=task, participant=person, epoch=1, seconds=seconds)
    return first


def test_all_sheets_of_a_person_are_one_work(root):
    for sitting in (root, *Participant.objects.filter(first=root)):
        so_far = work_so_far(sitting)
        assert (so_far.sheets, so_far.minutes, so_far.earned, so_far.currency) == (1, 3, 4, "EUR")


@pytest.mark.parametrize("kind", [ParticipantKind.PREVIEW, ParticipantKind.PILOT])
def test_a_look_ahead_has_no_sheets(root, kind):
    Participant.objects.filter(pk=root.pk).update(kind=kind)
    assert work_so_far(Participant.objects.get(pk=root.pk)).sheets == 0


def test_who_begins_has_done_nothing_yet(root):
    so_far = work_so_far(make_participant(root.trial))
    assert (so_far.sheets, so_far.minutes, so_far.earned) == (0, 0, 0)
