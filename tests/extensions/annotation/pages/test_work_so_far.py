"""The line about a person's work over all sheets: pay, finished sheets, and minutes."""

from decimal import Decimal

import pytest
from django.utils import timezone

from extensions.annotation.models import Task, TaskAnswer
from extensions.annotation.pages.work_so_far import work_so_far
from humantrials.models import Participant, ParticipantKind
from tests.extensions.annotation.finished_trial import settled_trial
from tests.factories import make_participant

pytestmark = pytest.mark.django_db


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
