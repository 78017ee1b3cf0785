"""A code although answers are missing: they did not get through, and nobody is left without a code.

Such a sheet is marked for repair and counts for nothing yet. It stays the person's as long as its lease runs, counts
once the missing answers have come, and goes to somebody else if they do not.
"""

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from humantrials.assignment import BEFORE, finish_sheet
from humantrials.codes import completion_code
from humantrials.given import is_staged
from humantrials.leases import locked, note
from humantrials.models import Participant, ParticipantKind, ParticipantState, Slot

TRYING_OUT = (ParticipantKind.PREVIEW, ParticipantKind.PILOT)  # nobody pays for it, so there is no code


def missing_slots(person: Participant) -> QuerySet[Slot]:
    """The slots of the person's sheet that this person has not answered, in order."""
    return Slot.objects.filter(sheet=person.sheet_id or 0).exclude(judgments__participant=person)


@transaction.atomic
def mark_for_repair(*, participant: Participant) -> Participant:
    """Give the code now and say which answers are wanted still; where none is, the sheet is finished. Twice is once."""
    person = locked(participant)
    if person.kind in TRYING_OUT or person.state != ParticipantState.CONSENTED or person.step in BEFORE:
        return person
    if person.sheet is None or is_staged(person.trial):  # a form is sent again by hand; nothing waits in an outbox
        return person
    if not missing_slots(person).exists():
        return finish_sheet(participant=person)
    if person.repair_at is None:
        code = person.completion_code or completion_code()
        Participant.objects.filter(pk=person.pk).update(repair_at=Now(), completion_code=code)
        note(person.sheet, person.epoch, "to repair")
        person.refresh_from_db()
    return person


def settle(*, participant: Participant) -> Participant:
    """Finish the sheet of somebody who has the code already, once nothing is missing: they may never come back.

    `participant` as it was read under the lock that stored the answer: a mark that comes later finds the answer there.
    """
    if participant.repair_at is None or missing_slots(participant).exists():
        return participant
    return finish_sheet(participant=participant)
