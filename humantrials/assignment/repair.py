"""Gives codes despite missing answers: a failed transfer must cost nobody a code. The code says what is stored.

The sheet is marked for repair and does not count yet. It stays the person's while its lease runs, counts once the
missing answers arrive, and goes to somebody else if they do not.
"""

from django.db import transaction
from django.db.models.functions import Now

from humantrials.assignment.answers import answers_in
from humantrials.assignment.claims import EARLY_STEPS
from humantrials.assignment.exits import give_code, share_done
from humantrials.assignment.leases import locked, note
from humantrials.models import Participant, ParticipantKind, ParticipantState, SheetEventKind

TRYING_OUT = (ParticipantKind.PREVIEW, ParticipantKind.PILOT)  # nobody pays them, so they get no code


@transaction.atomic
def mark_for_repair(*, participant: Participant) -> Participant:
    """Mark the unfinished sheet for repair and give a code with the share that is stored.

    Safe to call twice; the share in the code follows the answers that arrived since.
    """
    person = locked(participant)
    if person.kind in TRYING_OUT or person.state != ParticipantState.CONSENTED or person.step in EARLY_STEPS:
        return person
    if person.sheet is None or not answers_in(person.trial).are_sent_again:
        return person
    if person.repair_at is None:
        Participant.objects.filter(pk=person.pk).update(repair_at=Now())
        note(person.sheet, person.epoch, SheetEventKind.TO_REPAIR)
    give_code(person, share_done(person))
    person.refresh_from_db()
    return person
